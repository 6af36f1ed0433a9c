// `feeds` and `defaults`: each feed has its own keys, over those of `defaults`, over the built-in values.

import Core

/// Reads the feeds of all files, in the order of the files.
///
/// The `defaults` of the main file apply to all feeds; those of an included file apply to its own feeds, over the main
/// file's.
///
/// - Parameters:
///   - blank: a feed without any keys.
///   - isShared: whether machines share the state; then all feeds together have a fingerprint.
func readFeeds(
  _ parts: [ConfigurationPart], over blank: FeedDraft, isShared: Bool
) -> FeedsReading {
  let main = readDefaults(parts.first?.top["defaults"], over: blank)
  var reading = FeedsReading()
  var names = FirstNames()
  var sources = FirstSources()
  for (number, part) in parts.enumerated() {
    let defaults = number == 0 ? main : readDefaults(part.top["defaults"], over: main)
    // The defaults of an included file are a part of its feeds.
    let shared = number == 0 ? 0 : part.top["defaults"]?.fingerprint() ?? 0
    let entries = part.top["feeds"]?.namedEntries(expecting: "a mapping of names such as planet: https://…")
    var plain: FeedSpec?
    for entry in entries ?? [] {
      // One file has each name once.
      let isNew = parts.count == 1 || names.record(entry, of: "feed", part.pass)
      let feed = part.pass.reported(try Field(entry, part.pass).feed(defaults, &plain))
      guard let feed, isNew else {
        reading.areAllKnown = false
        continue
      }
      sources.record(feed, entry, part.pass)
      if isShared { reading.fingerprint &+= Field(entry, part.pass).fingerprint() &+ shared }
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
  // With settings for a catalog, the feeds are in the store.
  guard let main = parts.first, main.top["catalog"] == nil,
    !parts.contains(where: \.top.hasUnknownKeys)
  else { return }
  guard let field = parts.compactMap({ $0.top["feeds"] }).first ?? main.top["include"] else {
    return main.pass.report("there are no feeds", at: main.top.location, cure: KeyTable.feedsExample)
  }
  if parts.allSatisfy(\.pass.isUsable) {
    field.pass.warn("there are no feeds, so nothing is ever fetched", at: field.keyLocation, cure: nil)
  }
}

/// The names of feeds or hooks so far, to find a name in two files.
struct FirstNames {
  private var places: [String: (pass: ConfigurationPass, location: Location)] = [:]

  /// Notes a name; false, with a mistake, if an earlier file has it.
  mutating func record(_ entry: Node.Entry, of thing: String, _ pass: ConfigurationPass) -> Bool {
    guard let first = places[entry.key] else {
      places[entry.key] = (pass, entry.location)
      return true
    }
    pass.report(
      "duplicate \(thing) \"\(shown(entry.key))\"; the first is at "
        + "\(first.pass.shownFile):\(first.location.line):\(first.location.column)", at: entry.location,
      cure: "keep one of them, or rename it")
    return false
  }
}

/// The names and addresses of the feeds so far, to find an address that is used twice.
private struct FirstSources {
  /// The first feed that reads a thing, by the hash of what it reads: there may be a million.
  private var feeds: [Int: (name: FeedName, location: Location, pass: ConfigurationPass)] = [:]

  /// Notes what a feed reads; warns if an earlier feed reads the same.
  mutating func record(_ feed: FeedSpec, _ entry: Node.Entry, _ pass: ConfigurationPass) {
    guard feed.source != .command || feed.isCommand else { return }
    // Two feeds may read different parts of one page, or send different requests to one address.
    var source = Hasher()
    source.combine(feed.source)
    source.combine(feed.command)
    source.combine(feed.kind)
    source.combine(feed.body)
    let hash = source.finalize()
    guard let first = feeds[hash] else {
      feeds[hash] = (feed.name, entry.location, pass)
      return
    }
    let location =
      first.pass === pass
      ? "on line \(first.location.line)"
      : "in \(first.pass.shownFile):\(first.location.line):\(first.location.column)"
    pass.warn(
      "feed \"\(entry.key)\" has the same \(feed.isCommand ? "command" : "url") as feed \"\(first.name)\" "
        + location, at: entry.location,
      cure: "keep one of them")
  }
}

/// A feed without keys of its own; reports mistakes in `defaults` once.
func readDefaults(_ field: Field?, over inherited: FeedDraft) -> FeedDraft {
  guard let field else { return inherited }
  var draft = inherited
  draft.add(fingerprint: field.fingerprint())
  let entries = field.namedEntries(expecting: "a mapping")
  draft.read(
    Section(entries, at: field.node.location, KeyTable.keysOfDefaults, of: "feeds.*", field.pass))
  return draft
}

extension Field {
  /// - Parameter plain: the feed with the settings of all feeds that are an address alone, once one was read without a mistake.
  fileprivate func feed(_ defaults: FeedDraft, _ plain: inout FeedSpec?) throws(Mistake) -> FeedSpec {
    let feedName = FeedName(key)
    if feedName == nil { pass.report(badName(self, of: "feed")) }
    guard isText else { return try feedOfKeys(feedName, defaults) }
    let source: FeedSource
    do throws(Mistake) { source = try named("url").feedAddress() } catch { throw mistakenKey ?? error }
    guard let feedName else { throw .reported }
    var spec: FeedSpec
    if let plain {
      spec = plain
    } else {
      let count = pass.mistakeCount
      spec = defaults.spec(name: feedName, source, at: keyLocation, pass)
      if pass.mistakeCount == count { plain = spec }
    }
    spec.name = feedName
    spec.source = source
    spec.fingerprint &+= valueFingerprint
    return spec
  }

  private func feedOfKeys(_ feedName: FeedName?, _ defaults: FeedDraft) throws(Mistake) -> FeedSpec {
    var draft = defaults
    draft.add(fingerprint: valueFingerprint)
    var source = FeedSource.command
    var command: [String] = []
    if node.isNull { throw missing(expecting: "its URL") }
    let keys = try Section(self, FeedDraft.keys, expecting: "a URL or a mapping with url:")
    draft.read(keys)
    if draft.isAsset { keys.refuse(keysOfItems, of: "a feed of kind asset") }
    if keys.has("command"), let field = keys["command"] {
      if keys["url"] == nil { keys.refuse(keysOfServers, of: "the output of a command") }
      command = try field.command(expecting: "a list such as [git, ls-remote, --tags]")
    }
    if let field = keys["url"] {
      source = try field.isMapping ? .secret(field.secret()) : field.feedAddress()
      if case .file = source { keys.refuse(keysOfServers, of: "a local file") }
    } else if !keys.has("command") {
      guard !keys.hasUnknownKeys else { throw .reported }
      throw Mistake(
        at: keyLocation, "feed \"\(name)\" has no url", cure: "write url: https://…, or command: […]")
    }
    guard let feedName else { throw .reported }
    var spec = draft.spec(name: feedName, source, keys, at: keyLocation, pass)
    spec.command = command
    return spec
  }
}

/// The keys that mean nothing for a file or command; in `defaults` they apply to other feeds.
private let keysOfServers = ["headers", "auth", "cookies", "body"]

/// The keys about documents and items, which a single file does not have.
private let keysOfItems = [
  "command", "identity", "filter", "updated", "body", "download.filter", "download.limit", "push.url",
  "push.description",
]

/// The mistake for an invalid name of a feed or hook.
func badName(_ field: Field, of thing: String) -> Mistake {
  let allowed = "letters, digits, -, _ and ."
  let words = field.key.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))) }
  let mended = String(words.joined(separator: "-").drop { $0 == "-" || $0 == "." }.prefix(100))
  return Mistake(
    at: field.keyLocation, "\"\(shown(field.key))\" is not a valid name of a \(thing) (\(allowed))",
    cure: FeedName(mended) == nil
      ? "use 1 to 100 of them, beginning with a letter or digit"
      : "write \(mended)" + (thing == "feed" ? ", and put the display name in title:" : ""))
}
