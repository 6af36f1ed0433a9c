// `hooks`: the programs and webhooks that get events.

import Core

/// Reads the hooks of all files, in the order of the files; any hook may subscribe to any feed.
///
/// `feeds` is nil if not all feeds are known; then words that select no feed are not reported.
func readHooks(_ parts: [ConfigurationPart], feeds: FeedList?) -> [HookSpec] {
  guard parts.contains(where: { $0.top["hooks"] != nil }) else { return [] }
  let feeds = feeds.map { FeedWords($0) }
  var earlier: [String: (place: Place, pass: ConfigurationPass)] = [:]
  var hooks: [HookSpec] = []
  for part in parts {
    guard let field = part.top["hooks"] else { continue }
    let entries =
      field.entries(expecting: "a mapping of names such as desktop: {events: […], run: […]}") ?? []
    for entry in entries {
      if let first = earlier[entry.key] {
        part.pass.report(secondName(entry, of: "hook", after: first.place, in: first.pass))
      } else {
        earlier[entry.key] = (entry.place, part.pass)
      }
      if let hook = readHook(entry, feeds: feeds, part.pass) { hooks.append(hook) }
    }
  }
  return hooks
}

private func readHook(_ entry: Node.Entry, feeds: FeedWords?, _ pass: ConfigurationPass) -> HookSpec? {
  let field = Field(entry, pass)
  // Hooks are listed beside feeds, so their names follow the same rules.
  if FeedName(entry.key) == nil { pass.report(badName(entry, of: "hook")) }
  guard !field.node.isNull else {
    field.reportMissing(expecting: "{events: [notification], run: [notify-send, …]}")
    return nil
  }
  guard let keys = Section(field, path: "hooks.*", expecting: "{events: […], run: […]}") else { return nil }
  let isDigest = keys["digest"].map { !$0.node.isNone } ?? false
  let webhook = keys["webhook"].flatMap { $0.node.isNone ? nil : $0 }
  let isConsumer = keys["consumer"]?.flag() ?? false
  for key in ["events", "run"]
  where keys[key] == nil && !keys.misspelt.contains(key)
    && !(key == "events" ? isDigest : webhook != nil || isConsumer)
  {
    let example = key == "events" ? "[notification]" : "[notify-send, --, \"{title}\", \"{body.markup}\"]"
    pass.report("hook \"\(field.name)\" has no \(key)", at: entry.place, cure: "write \(key): \(example)")
  }
  if isDigest {
    keys["events"]?.report("a hook with digest cannot have events", cure: "remove events")
  }
  let events = isDigest ? [.notification] : keys["events"]?.events()
  let placeholders =
    isDigest
    ? PlaceholderSet.hook([.digest])
    : events.map { $0.isEmpty ? .anyHook : PlaceholderSet.hook($0) } ?? .anyHook
  let command = keys["run"]?.command(placeholders)
  var hook = HookSpec(name: entry.key, events: events ?? [], run: command?.arguments ?? [])
  keys.read("feeds", into: &hook.feeds) { $0.globs(feeds) }
  if let field = keys["events"], let feeds { warnOfNoDownloads(field, hook, feeds) }
  keys.read("digest", into: &hook.digest, unset: []) { $0.schedule() }
  if isDigest { hook.expires = .days(7) }
  keys.read("limit", into: &hook.limit, unset: nil) { $0.wholeNumber(in: 1...1000) }
  if isConsumer {
    hook.isConsumer = true
    reportKeys(
      ["webhook", "digest", "limit", "timeout", "retries", "expires", "parallel"] + programKeys, of: keys,
      "does not apply to a consumer, whose events wait until bgfetch events prints them")
    if let events = keys["events"], hook.events.contains(.notification) {
      events.report("a consumer cannot have messages for a person", cure: "write new-item for notification")
    }
  } else if let webhook {
    hook.webhook = webhook.webhook()
    reportKeys(programKeys, of: keys, "applies only to programs, but this hook has a webhook")
  } else {
    readInput(keys, into: &hook, isDigest: isDigest, placeholders, readBy: command, at: entry.place)
  }
  if case .json = hook.stdin, let reader = command?.readerOfInput, reader.kind != .mail {
    keys["run"]?.report(
      "\(reader.program) would run its standard input, the event, as code",
      cure: "write stdin: none, or give it a script")
  }
  keys.read("timeout", into: &hook.timeout) { $0.interval(atLeast: .seconds(1), atMost: .days(1)) }
  keys.read("parallel", into: &hook.parallel) { $0.wholeNumber(in: 1...64) }
  keys.read("retries", into: &hook.retries) { $0.wholeNumber(in: 0...100) }
  keys.read("expires", into: &hook.expires) { $0.interval(atLeast: .seconds(1)) }
  keys.read("needs", into: &hook.needsSessionBus) { $0.choice([("none", false), ("session-bus", true)]) }
  keys.read("environment", into: &hook.environment) { $0.environment() }
  return hook
}

private let programKeys = ["run", "stdin", "to", "from", "environment", "needs"]

/// Reports keys that do not apply to a hook of this kind.
private func reportKeys(_ names: [String], of keys: Section, _ what: String) {
  for field in names.compactMap({ keys[$0] }) where !field.node.isNone {
    field.pass.report("\(field.name) \(what)", at: field.keyPlace, cure: "remove one of them")
  }
}

/// Reads `stdin`, which is mail for a hook with `to` or `digest` unless it says otherwise.
private func readInput(
  _ keys: Section, into hook: inout HookSpec, isDigest: Bool, _ placeholders: PlaceholderSet,
  readBy command: Command?, at place: Place
) {
  let addresses = keys.mailAddresses()
  var isMail = isDigest || keys["to"] != nil
  if let field = keys["stdin"] {
    isMail = field.isMail
    if let input = isMail ? nil : field.input(placeholders, readBy: command) { hook.stdin = input }
    if !isMail, let to = keys["to"] {
      to.report("to needs mail on standard input", cure: "remove stdin, or write stdin: mail")
    }
  }
  guard isMail, let field = keys["stdin"] ?? keys["to"] ?? keys["digest"] else { return }
  field.checkMail(hook, readBy: command)
  if let addresses { hook.stdin = .mail(addresses) }
  if keys["to"] == nil, !keys.misspelt.contains("to") {
    field.pass.report(
      "hook \"\(shown(hook.name))\" has no to", at: place,
      cure: "write to: me@example.org, or stdin: json for your own program")
  }
}

/// Warns of a hook for file events alone whose feeds download nothing.
private func warnOfNoDownloads(_ field: Field, _ hook: HookSpec, _ feeds: FeedWords) {
  let ofFiles: Set<EventKind> = [.assetPlaced, .transferFailed, .authRequired, .sessionFinished]
  guard !hook.events.isEmpty, hook.events.isSubset(of: ofFiles), !feeds.hasDownloads(for: hook) else {
    return
  }
  field.pass.warn(
    "hook \"\(hook.name)\" gets only events about files, but none of its feeds downloads files",
    at: field.node.place,
    cure: "add download: {} to a feed")
}

/// Reports hooks that feeds name and that do not exist, or do not subscribe to notifications.
func checkMentionedHooks(_ hooks: [HookSpec], _ pass: ConfigurationPass) {
  let events = Dictionary(hooks.map { ($0.name, $0.events) }, uniquingKeysWith: { first, _ in first })
  for (name, place) in pass.mentionedHooks {
    guard let events = events[name] else {
      let near = nearest(name, among: events.keys).map { "did you mean \"\($0.word)\"?" }
      let known =
        events.isEmpty
        ? "define it under hooks:" : "hooks: " + events.keys.sorted().joined(separator: ", ")
      pass.report("unknown hook \"\(shown(name))\"", at: place, cure: near ?? known)
      continue
    }
    if !events.isEmpty, !events.contains(.notification) {
      pass.report(
        "hook \"\(name)\" does not get notifications", at: place, cure: "add notification to its events")
    }
  }
}

extension Field {
  /// An address, or a mapping with `url`.
  fileprivate func webhook() -> WebhookSpec? {
    let example = "https://home.example/hook, or {url: …, secret: {file: PATH}}"
    if isText { return webhookAddress(example).map { WebhookSpec(url: .plain($0)) } }
    guard let keys = Section(self, path: "hooks.*.webhook", expecting: example) else { return nil }
    guard let url = keys["url"]?.secretText(expecting: "a URL", { $0.webhookAddress(example) }) else {
      if keys["url"] == nil, !keys.misspelt.contains("url") {
        report("webhook has no url", cure: "write \(example)")
      }
      return nil
    }
    var spec = WebhookSpec(url: url)
    keys.read("secret", into: &spec.secret, unset: nil) { $0.secret() }
    keys.read("headers", into: &spec.headers, unset: []) { $0.headers(over: []) }
    return spec
  }

  private func webhookAddress(_ example: String) -> String? {
    guard let text = text(expecting: example) else { return nil }
    guard let address = WebAddress(text) else {
      report("\(name) \"\(shown(text))\" is not an http or https URL", cure: "write \(example)")
      return nil
    }
    guard !address.hasUser else {
      // The text is not repeated, because it may contain a password.
      report("\(name) contains a user name or a password", cure: "write it in headers, as a secret")
      return nil
    }
    return address.text
  }

  fileprivate var isMail: Bool {
    if case .scalar(let scalar) = node.content { scalar.text == "mail" } else { false }
  }

  fileprivate func events() -> Set<EventKind>? {
    if isText, let word = text() {
      report("events must be a list", cure: "write [\(shown(word))]")
      return nil
    }
    guard let elements = elements(expecting: "a list such as [notification]") else { return nil }
    if elements.isEmpty { report("events is empty, so the hook never runs", cure: "write [notification]") }
    let words = EventKind.subscribable.map(\.rawValue)
    return Set(
      elements.compactMap { element in
        guard let word = element.text(expecting: "an event such as notification") else { return nil }
        if word == EventKind.digest.rawValue {
          element.report(
            "digest is a key, not an event", cure: "write digest: \"0 7 * * *\" instead of events")
          return nil
        }
        if let event = EventKind(rawValue: word) { return event }
        let near = nearest(word, among: words).map { "did you mean \"\($0.word)\"?" }
        element.report(
          "unknown event \"\(shown(word))\"", cure: near ?? "allowed events: " + words.joined(separator: ", ")
        )
        return nil
      })
  }

  /// Feeds by name, glob or @tag.
  func globs(_ feeds: FeedWords?) -> [String]? {
    if isText, let word = text() {
      report("feeds must be a list", cure: "write [\"\(shown(word))\"]")
      return nil
    }
    return elements(expecting: "a list such as [planet, \"yt-*\", \"@linux\"]")?.compactMap { element in
      guard let word = element.someText(expecting: "a feed's name, a glob or @tag") else { return nil }
      if let mistake = feeds?.mistake(in: word) {
        pass.warn(shown(mistake.what), at: element.node.place, cure: mistake.cure)
      }
      return word
    }
  }

  fileprivate func input(_ placeholders: PlaceholderSet, readBy command: Command?) -> HookInput? {
    guard let written = template(expecting: "json, mail, none or a template") else { return nil }
    switch written.template.literalText {
    case "json": return .json
    case "none": return HookInput.none
    default: break
    }
    written.check(placeholders)
    if let name = written.template.placeholders.first, let reader = command?.readerOfInput {
      if reader.kind == .mail {
        report(
          "\(reader.program) may run lines of {\(name)} that begin with \"~\" as commands",
          cure: "use sendmail, with the header in stdin; see examples/hooks.yaml")
      } else {
        report(
          "\(reader.program) would run {\(name)} from its standard input as code",
          cure: "give it a script that uses \"$\(hookVariable(name))\"")
      }
    }
    return .text(written.template)
  }

  fileprivate func environment() -> [HeaderSpec]? {
    entries(expecting: "a mapping such as {DISPLAY: \":0\"}")?.compactMap { entry in
      let field = Field(entry, pass)
      if !isVariableName(entry.key) {
        pass.report(
          "\"\(field.name)\" is not a valid name of an environment variable", at: entry.place,
          cure: "use letters, digits and _, not beginning with a digit")
      } else if entry.key.hasPrefix("BGFETCH_") {
        pass.report(
          "names that begin with BGFETCH_ are reserved", at: entry.place,
          cure: "choose another name")
      }
      return field.secretText(expecting: "text", { $0.text() }).map { HeaderSpec(name: entry.key, value: $0) }
    }
  }
}
