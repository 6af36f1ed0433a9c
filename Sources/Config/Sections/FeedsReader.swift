// `feeds` and `defaults`: each feed has its own keys, over those of `defaults`, over the built-in values.

import Core

/// Reads the feeds of all files, in the order of the files.
///
/// The `defaults` of the main file apply to all feeds; those of an included file apply to its own feeds, over the main
/// file's.
///
/// - Parameter isShared: whether machines share the state; then their feeds have a fingerprint.
func readFeeds(
  _ parts: [ConfigurationPart], network: NetworkSettings, isShared: Bool, _ context: ConfigurationContext
) -> FeedsReading {
  let entries = parts.map(\.feedEntries)
  let count = entries.reduce(0) { $0 + $1.count }
  guard count <= context.limits.mostFeeds else {
    let field = parts.lazy.compactMap { $0.top["feeds"] }.first
    field?.report("\(count) feeds are too many", cure: "write at most \(context.limits.mostFeeds)")
    return FeedsReading(areAllKnown: false)
  }
  let standard = FeedDraft(network: SharedNetwork(network))
  let main = readDefaults(parts.first?.top["defaults"], over: standard)
  var reading = FeedsReading()
  // One file has each name once.
  var earlier = EarlierFeeds(haveUniqueNames: parts.count == 1)
  for (number, (part, entries)) in zip(parts, entries).enumerated() {
    let defaults = number == 0 ? main : readDefaults(part.top["defaults"], over: main)
    // The defaults of an included file are a part of its feeds.
    let shared = number == 0 ? 0 : part.top.entry("defaults").map { fingerprint(of: $0) } ?? 0
    for entry in entries {
      let isNew = earlier.note(name: entry, part.pass)
      guard let feed = readFeed(entry, defaults, part.pass), isNew else {
        reading.areAllKnown = false
        continue
      }
      earlier.note(sourceOf: feed, entry, part.pass)
      if isShared { reading.fingerprint &+= fingerprint(of: entry) &+ shared }
      reading.feeds.append(feed)
    }
  }
  return reading
}

/// The result of reading feeds.
struct FeedsReading {
  var feeds: [FeedSpec] = []
  /// Whether no feed is left out because of a mistake.
  var areAllKnown = true
  /// The sum of the fingerprints of all feeds, if machines share the state.
  var fingerprint: UInt64 = 0
}

/// Reports that there are no feeds, unless an earlier mistake explains it.
func reportNoFeeds(_ parts: [ConfigurationPart]) {
  // With profiles, the feeds are in the store.
  guard let main = parts.first, main.top["profiles"] == nil else { return }
  guard parts.allSatisfy({ $0.top["feeds"] == nil }) else {
    let field = parts.compactMap { $0.top["feeds"] }.first
    if parts.allSatisfy(\.pass.isUsable), let field {
      field.pass.warn("there are no feeds, so nothing is ever fetched", at: field.keyPlace, cure: nil)
    }
    return
  }
  guard parts.allSatisfy({ !$0.top.misspelt.contains("feeds") }) else { return }
  if let include = main.top["include"] {
    guard main.pass.isUsable else { return }
    main.pass.warn("no file has feeds, so nothing is ever fetched", at: include.keyPlace, cure: nil)
  } else {
    main.pass.report("there are no feeds", at: main.top.place, cure: KeyTable.feedsExample)
  }
}

/// The feeds read so far, to find a name in two files and an address that is used twice.
private struct EarlierFeeds {
  /// Whether no name can be repeated.
  let haveUniqueNames: Bool
  private var names: [String: (pass: ConfigurationPass, place: Place)] = [:]
  /// The first feed that reads a thing, by the hash of what it reads: there may be a million.
  private var bySource: [Int: (name: FeedName, place: Place, pass: ConfigurationPass)] = [:]

  init(haveUniqueNames: Bool) { self.haveUniqueNames = haveUniqueNames }

  /// Notes a name; false, with a mistake, if an earlier file has it.
  mutating func note(name entry: Node.Entry, _ pass: ConfigurationPass) -> Bool {
    guard !haveUniqueNames else { return true }
    guard let first = names[entry.key] else {
      names[entry.key] = (pass, entry.place)
      return true
    }
    pass.report(secondName(entry, of: "feed", after: first.place, in: first.pass))
    return false
  }

  /// Notes what a feed reads; warns if an earlier feed reads the same.
  mutating func note(sourceOf feed: FeedSpec, _ entry: Node.Entry, _ pass: ConfigurationPass) {
    guard feed.url != .plain("") || feed.isCommand else { return }
    // Two feeds may read different parts of one page, or send different requests to one address.
    var source = Hasher()
    source.combine(feed.url)
    source.combine(feed.command)
    source.combine(feed.kind)
    source.combine(feed.body)
    let hash = source.finalize()
    guard let first = bySource[hash] else {
      bySource[hash] = (feed.name, entry.place, pass)
      return
    }
    let place =
      first.pass === pass
      ? "on line \(first.place.line)" : "in \(first.pass.shownFile):\(first.place.line):\(first.place.column)"
    pass.warn(
      "feed \"\(entry.key)\" has the same \(feed.isCommand ? "command" : "url") as feed \"\(first.name)\" "
        + place, at: entry.place,
      cure: "keep one of them")
  }
}

/// The mistake for a name that an earlier file has.
func secondName(
  _ entry: Node.Entry, of thing: String, after first: Place, in pass: ConfigurationPass
) -> Mistake {
  Mistake(
    at: entry.place,
    "duplicate \(thing) \"\(shown(entry.key))\"; the first is at "
      + "\(pass.shownFile):\(first.line):\(first.column)", cure: "keep one of them, or rename it")
}

/// A feed without keys of its own; reports mistakes in `defaults` once.
func readDefaults(_ field: Field?, over inherited: FeedDraft) -> FeedDraft {
  var draft = inherited
  guard let field, let keys = Section(field, path: "feeds.*", refusing: ["url", "command"]) else {
    return draft
  }
  for key in ["url", "command"].compactMap({ keys[$0] }) {
    key.pass.report("\(key.name) cannot be in defaults", at: key.keyPlace, cure: "write it under a feed")
  }
  draft.read(keys)
  draft.kind.forgetPlaces()
  draft.adaptPlace = nil
  draft.notify?.checkTemplatesOfDefaults()
  return draft
}

private func readFeed(_ entry: Node.Entry, _ defaults: FeedDraft, _ pass: ConfigurationPass) -> FeedSpec? {
  let field = Field(entry, pass)
  let name = FeedName(entry.key)
  if name == nil { pass.report(badName(entry, of: "feed")) }
  var draft = defaults
  var url: SecretText?
  var command: [String]?
  if field.isText {
    url = field.named("url").feedAddress().map(SecretText.plain)
    if draft.kind.isAsset, isFile(url) { field.reportFileAsAsset() }
  } else {
    guard !field.node.isNull else {
      field.reportMissing(expecting: "its URL")
      return nil
    }
    guard !field.reportsBareSecret() else { return nil }
    guard let keys = Section(field, path: "feeds.*", expecting: "a URL or a mapping with url:") else {
      return nil
    }
    draft.read(keys)
    if draft.kind.isAsset { reportItemKeys(keys) }
    if draft.kind.isPageText { reportKeysThatPreventWatching(keys) }
    if let field = keys["push"] { draft.push.warnOfDescriptionAlone(field) }
    let commandField = keys["command"].flatMap { $0.node.isNone ? nil : $0 }
    if let field = keys["url"] {
      url = field.secretText(expecting: "a URL") { $0.feedAddress() }
      if isFile(url) {
        reportServerKeys(keys, "a local file")
        if draft.kind.isAsset { field.reportFileAsAsset() }
      }
    } else if commandField != nil {
      url = .plain("")
      reportServerKeys(keys, "the output of a command")
    } else if !keys.misspelt.contains("url"), !keys.misspelt.contains("command") {
      pass.report(
        "feed \"\(field.name)\" has no url", at: entry.place, cure: "write url: https://…, or command: […]")
    }
    if let field = commandField {
      command = field.command(expecting: "a list such as [git, ls-remote, --tags]")
      if draft.kind.isAsset {
        field.report("command does not apply to a feed of kind asset", cure: "remove one of them")
      }
    }
  }
  guard let name, let url else { return nil }
  var spec = draft.spec(name: name, url: url, at: entry.place, pass)
  spec.command = command ?? []
  return spec
}

extension Field {
  /// Reports a feed that is written as a secret, which only its `url` can be; returns whether it is one.
  fileprivate func reportsBareSecret() -> Bool {
    guard case .mapping(let entries) = node.content, let only = entries.first, entries.count == 1,
      only.key != "command", secretKeys.contains(where: { $0.path == only.key })
    else { return false }
    report("feed \"\(name)\" cannot be a secret as a whole", cure: "write {url: {\(only.key): …}}")
    return true
  }
}

/// Whether an address is a `file:` URL that is not a secret.
private func isFile(_ url: SecretText?) -> Bool {
  if case .plain(let text)? = url { FileAddress(text) != nil } else { false }
}

/// Reports keys that mean nothing for a file or command; in `defaults` they apply to other feeds.
private func reportServerKeys(_ keys: Section, _ source: String) {
  for field in ["headers", "auth", "cookies", "body"].compactMap({ keys[$0] }) where !field.node.isNone {
    field.pass.report(
      "\(field.name) applies only to servers, but this feed is \(source)", at: field.keyPlace,
      cure: "remove it")
  }
}

/// The mistake for an invalid name of a feed or hook.
func badName(_ entry: Node.Entry, of thing: String) -> Mistake {
  let allowed = "letters, digits, -, _ and ."
  let words = entry.key.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))) }
  let mended = String(words.joined(separator: "-").drop { $0 == "-" || $0 == "." }.prefix(100))
  return Mistake(
    at: entry.place, "\"\(shown(entry.key))\" is not a valid name of a \(thing) (\(allowed))",
    cure: FeedName(mended) == nil
      ? "use 1 to 100 of them, beginning with a letter or digit"
      : "write \(mended)" + (thing == "feed" ? ", and put the display name in title:" : ""))
}
