// `hooks`: the programs and webhooks that get events, as JSON, text or mail.

import Core

extension HookSpec {
  /// The keys of a hook; what a program is and gets depends on several of them.
  static let keys = Keys("hooks.*", HookSpec(name: "", events: [], run: [])) { keys in
    keys.row(
      "events", "list of events", nil,
      "the events that run the program; notification by default with digest, popup or to")
    keys.row(
      "run", "list of templates or lists of templates", nil,
      "the program and its arguments; [sendmail, -t] by default with to")
    keys.key(
      "popup", \.isPopup, .flag,
      "whether the notification daemon shows each message, instead of run; a click opens its items")
    keys.row("webhook", "URL or mapping", nil, "the address to post events to, instead of run") {
      field, hook throws(Mistake) in
      hook.webhook = field.node.isNone ? nil : try field.webhook()
    }
    keys.below(WebhookSpec.keys)
    keys.key(
      "feeds", \.feeds, .globs, default: "[\"*\"]",
      "the feeds whose events the hook gets, by name, glob or @tag")
    keys.key(
      "group", \.group, .word,
      "what one notification covers; item by default with to, which is a mail with the article")
    keys.key(
      "seen", \.marksSeen, .flag, "whether the items of a delivered event count as seen")
    keys.key(
      "limit", \.limit, ValueType.number(1...1000).orNone,
      "the maximum notifications per run; further ones are joined into one")
    keys.key(
      "digest", \.digest, .schedule.worded("cron expression, list or none").withNone([]),
      "when to deliver all notifications since the last digest, as one message")
    keys.key(
      "articles", \.hasArticles, .flag, "whether the mail of a digest has whole articles instead of summaries"
    )
    keys.row("to", "text or list of text", nil, "the mail addresses of the recipients")
    keys.row("from", "text", nil, "the mail address of the sender; the first of to by default")
    keys.row(
      "stdin", "json, mail, none or template", "json",
      "what the program gets on standard input; mail by default with to or digest")
    keys.key("timeout", \.timeout, .interval(.seconds(1), .days(1)), "how long the program may run")
    keys.key("retries", \.retries, .number(0...100), "how often to retry a failed delivery")
    keys.key("expires", \.expires, .interval(.seconds(1)), "drop deliveries that are older")
    keys.row("environment", "mapping of text or secrets", "{}", "additional environment variables") {
      field, hook throws(Mistake) in
      hook.environment = try field.environment()
    }
    keys.row("environment.*", "text or secret", nil, "the value of the variable")
  }
}

extension WebhookSpec {
  fileprivate static let keys = Keys("hooks.*.webhook", WebhookSpec(url: .plain(""))) { keys in
    keys.row("url", "URL or secret", nil, "the address", isRequired: true)
    keys.key("method", \.method, .word, default: nil, "the method of the request, POST unless set")
    // Read when the placeholders of the hook are known.
    keys.row(
      "body", "mapping or list", nil, "the JSON to send, whose texts are templates; default: the event")
    keys.optional(
      "secret", \.secret, .secret, default: nil,
      "the key of the signature in X-Hub-Signature-256")
    keys.row("headers", "mapping of text or secrets", nil, "additional request headers") {
      field, hook throws(Mistake) in
      hook.headers = field.node.isNone ? [] : try field.headers(over: [])
    }
    keys.row("headers.*", "text or secret", nil, "the value of the header")
  }
}

/// Reads the hooks of all files, in the order of the files; any hook may subscribe to any feed.
func readHooks(_ parts: [ConfigurationPart]) -> [HookSpec] {
  var names = FirstNames()
  var hooks: [HookSpec] = []
  for part in parts {
    guard let field = part.top["hooks"] else { continue }
    for entry in field.namedEntries(expecting: "a mapping of names such as desktop: {events: […], run: […]}")
    {
      _ = names.record(entry, of: "hook", part.pass)
      if let hook = part.pass.reported(try Field(entry, part.pass).hook()) { hooks.append(hook) }
    }
  }
  return hooks
}

extension Field {
  fileprivate func hook() throws(Mistake) -> HookSpec {
    // Hooks are listed beside feeds, so their names follow the same rules.
    if FeedName(key) == nil { pass.report(badName(self, of: "hook")) }
    guard !node.isNull else {
      throw missing(expecting: "{events: [notification], run: [notify-send, …]}")
    }
    let keys = try Section(self, HookSpec.keys, expecting: "{events: […], run: […]}")
    let isDigest = keys.has("digest")
    var hook = HookSpec(name: key, events: [], run: [])
    let isMail = keys.has("to")
    // Like a mail server, a hook for mail does not give up before the mail is old.
    if isDigest || isMail { (hook.expires, hook.retries) = (.days(7), 30) }
    if isMail, !isDigest { hook.group = .item }
    HookSpec.keys.read(keys, into: &hook)
    // With a wrong value of popup it is not known what else the hook needs.
    let mayBePopup = keys["popup"].map { (try? $0.flag()) ?? true } ?? false
    for key in ["events", "run"]
    where keys[key] == nil && !keys.hasUnknownKeys && !isMail && !mayBePopup
      && !(key == "events" ? isDigest : keys.has("webhook"))
    {
      let example = key == "events" ? "[notification]" : "[notify-send, --, \"{title}\", \"{body.markup}\"]"
      pass.report("hook \"\(name)\" has no \(key)", at: keyLocation, cure: "write \(key): \(example)")
    }
    var placeholders = PlaceholderSet.anyHook
    if hook.isPopup { hook.stdin = .none }
    if hook.isPopup || isMail { hook.events = [.notification] }
    if isDigest {
      hook.events = [.notification]
      placeholders = .hook([.digest])
      keys.refuse(["events", "group"], of: "a digest")
    } else if let events = pass.reported(try keys["events"]?.events()) {
      hook.events = events
      if !events.isEmpty { placeholders = .hook(events) }
    }
    if let body = keys["webhook"]?.entry(under: "body"), !body.node.isNone {
      hook.webhook?.body = pass.reported(try body.bodyOfTemplates(placeholders))
    }
    let command = pass.reported(try keys["run"]?.command(placeholders))
    hook.run =
      command?.arguments ?? (isMail ? ["sendmail", "-t"].map { .one(Template(literal: $0)) } : [])
    if hook.hasArticles, !isDigest || !isMail {
      keys.refuse(["articles"], of: "a hook without digest and to")
    }
    if hook.isPopup {
      keys.refuse(["webhook", "digest"] + programKeys, of: "a popup")
      if let events = keys["events"], hook.events != [.notification] {
        events.report("a popup shows only notifications", cure: "write events: [notification]")
      }
    } else if keys.has("webhook") {
      keys.refuse(programKeys, of: "a webhook")
    } else {
      keys.readInput(into: &hook, placeholders, at: keyLocation)
    }
    if let reader = command?.readerOfInput { keys["run"]?.refuse(hook.stdin, readBy: reader) }
    return hook
  }
}

private let programKeys = ["run", "stdin", "to", "from", "environment"]

/// Reports hooks that feeds name and that do not exist, or do not subscribe to notifications; and warns of templates about an item
/// if no hook has messages about one item.
func checkMentionedHooks(_ hooks: [HookSpec], _ pass: ConfigurationPass) {
  let groups = hooks.filter { $0.events.contains(.notification) }.map(\.group)
  if !groups.isEmpty, !groups.contains(.item) {
    for (name, location) in pass.templatesOfItems {
      pass.warn(
        "\(name) is not used: no hook has messages about one item", at: location,
        cure: "write group: item in hooks.NAME, or use {titles}")
    }
  }
  let events = Dictionary(hooks.map { ($0.name, $0.events) }, uniquingKeysWith: { first, _ in first })
  for (name, location) in pass.mentionedHooks {
    guard let events = events[name] else {
      let near = meantWord(name, among: events.keys)
      let known =
        events.isEmpty
        ? "define it under hooks:" : "hooks: " + events.keys.sorted().joined(separator: ", ")
      pass.report("unknown hook \"\(shown(name))\"", at: location, cure: near ?? known)
      continue
    }
    if !events.isEmpty, !events.contains(.notification) {
      pass.report(
        "hook \"\(name)\" does not get notifications", at: location, cure: "add notification to its events")
    }
  }
}

extension Field {
  /// An address, or a mapping with `url`.
  fileprivate func webhook() throws(Mistake) -> WebhookSpec {
    let example = "https://home.example/hook, or {url: …, secret: {file: PATH}}"
    if isText { return WebhookSpec(url: .plain(try webhookAddress(example))) }
    let keys = try Section(self, WebhookSpec.keys, expecting: example)
    var spec = WebhookSpec(url: .plain(""))
    WebhookSpec.keys.read(keys, into: &spec)
    if let url = keys["url"] {
      spec.url = try url.secretText(or: url.webhookAddress(example))
    } else if !keys.hasUnknownKeys {
      throw mistake("webhook has no url", cure: "write \(example)")
    }
    return spec
  }

  private func webhookAddress(_ example: String) throws(Mistake) -> String {
    let text = try text(expecting: example)
    let address = try require(
      WebAddress(text), "\(name) \"\(shown(text))\" is not an http or https URL", cure: "write \(example)")
    guard !address.hasUser else {
      // The text is not repeated, because it may contain a password.
      throw mistake("\(name) contains a user name or a password", cure: "write it in headers, as a secret")
    }
    return address.text
  }

  fileprivate func events() throws(Mistake) -> Set<EventKind> {
    if case .sequence(let nodes) = node.content, nodes.isEmpty {
      throw mistake("events is empty, so the hook never runs", cure: "write [notification]")
    }
    return Set(
      try values(expecting: "a list such as [notification]", insteadOf: { $0 }) { entry throws(Mistake) in
        try entry.event()
      })
  }

  private func event() throws(Mistake) -> EventKind {
    let word = try text(expecting: "an event such as notification")
    try require(
      word != EventKind.digest.rawValue, "digest is a key, not an event",
      cure: "write digest: \"0 7 * * *\" instead of events")
    if let event = EventKind(rawValue: word) { return event }
    let words = EventKind.subscribable.map(\.rawValue)
    let near = meantWord(word, among: words)
    throw mistake(
      "unknown event \"\(shown(word))\"", cure: near ?? "allowed events: " + words.joined(separator: ", "))
  }

  fileprivate func environment() throws(Mistake) -> [HeaderSpec] {
    try entries(expecting: "a mapping such as {DISPLAY: \":0\"}").compactMap { entry in
      let field = Field(entry, pass)
      if !isVariableName(entry.key) {
        pass.report(
          "\"\(field.name)\" is not a valid name of an environment variable", at: entry.location,
          cure: "use letters, digits and _, not beginning with a digit")
      } else if entry.key.hasPrefix("BGFETCH_") {
        pass.report(
          "names that begin with BGFETCH_ are reserved", at: entry.location, cure: "choose another name")
      }
      return field.reported { field throws(Mistake) in
        HeaderSpec(name: entry.key, value: try field.secretText(or: field.text()))
      }
    }
  }
}

// MARK: Standard input

extension Section {
  /// Reads `stdin`, which is mail for a hook with `to` or `digest` unless it says otherwise.
  fileprivate func readInput(
    into hook: inout HookSpec, _ placeholders: PlaceholderSet, at location: Location
  ) {
    let addresses = mailAddresses()
    guard let field = self["stdin"] ?? self["to"] ?? self["digest"], field.key != "digest" || has("digest")
    else {
      return
    }
    guard field.key != "stdin" || field.node.text == "mail" else {
      hook.stdin = pass.reported(try field.input(placeholders)) ?? HookInput.none
      refuse(["to"], of: "a hook whose stdin is not mail")
      return
    }
    if !hook.isDigest, !hook.events.isEmpty, hook.events != [.notification] {
      field.report(
        "only messages can be mail", cure: "write events: [notification], and another hook for other events")
    }
    if let addresses { hook.stdin = .mail(addresses) }
    if self["to"] == nil, !hasUnknownKeys {
      field.pass.report(
        "hook \"\(shown(hook.name))\" has no to", at: location,
        cure: "write to: me@example.org, or stdin: json for your own program")
    }
  }

  /// The addresses of a hook's mails; nil without `to`.
  private func mailAddresses() -> MailAddresses? {
    let to = pass.reported(
      try self["to"]?.oneOrMore(expecting: addressExample) { entry throws(Mistake) in
        try entry.mailAddress()
      })
    let from = pass.reported(try self["from"]?.mailAddress())
    if to == nil, self["to"] == nil { refuse(["from"], of: "a hook without to") }
    return to.map { MailAddresses(to: $0, from: from) }
  }
}

private let addressExample = "an address such as me@example.org"

extension Field {
  fileprivate func input(_ placeholders: PlaceholderSet) throws(Mistake) -> HookInput {
    let written = try template(expecting: "json, mail, none or a template")
    switch written.template.literalText {
    case "json": return .json
    case "none": return .none
    default:
      written.check(placeholders)
      return .text(written.template)
    }
  }

  /// Reports a program that would run its standard input, or lines of it.
  fileprivate func refuse(_ input: HookInput, readBy reader: CodeReader) {
    switch input {
    case .none: return
    case .text(let template) where template.placeholders.isEmpty: return
    case .json where reader.kind == .mail: return
    case .json, .mail, .text: break
    }
    if reader.kind == .mail {
      report(
        "\(reader.program) runs lines of its standard input that begin with \"~\"",
        cure: "write run: [sendmail, -t]")
    } else {
      report(
        "\(reader.program) would run its standard input as code",
        cure: "give it a script, or write stdin: none")
    }
  }

  /// A mail address without a name.
  fileprivate func mailAddress() throws(Mistake) -> String {
    let text = try someText(expecting: addressExample)
    try require(
      isMailAddress(text), "\(name) \"\(shown(text))\" is not a plain mail address",
      cure: "write \(addressExample)")
    return text
  }
}
