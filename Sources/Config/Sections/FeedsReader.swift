// `feeds` and `defaults`: each feed is what it says itself, over what `defaults` say, over what is built in.

import Model

/// Reads all feeds, in the order of the file.
func readFeeds(_ top: Section, _ pass: ConfigurationPass) -> [FeedSpec] {
  let defaults = readDefaults(top["defaults"])
  guard let field = top["feeds"] else {
    if !top.misspelt.contains("feeds") {
      pass.report("there are no feeds", at: top.place, cure: KeyTable.feedsExample)
    }
    return []
  }
  guard let entries = field.entries(expecting: "a mapping of names such as planet: https://…") else {
    return []
  }
  if entries.isEmpty, pass.isUsable {
    pass.warn("there are no feeds, so nothing is ever fetched", at: field.keyPlace, cure: nil)
  }
  guard entries.count <= mostFeeds else {
    field.report("there are \(entries.count) feeds", cure: "write at most \(mostFeeds) into one file")
    return []
  }
  var feeds: [FeedSpec] = []
  feeds.reserveCapacity(entries.count)
  var urls: [SecretText: (name: String, line: Int32)] = [:]
  for entry in entries {
    guard let feed = readFeed(entry, defaults, pass) else { continue }
    if let first = urls[feed.url] {
      pass.warn(
        "feed \"\(entry.key)\" has the same url as feed \"\(first.name)\" in line \(first.line)",
        at: entry.place,
        cure: "keep one of them")
    } else {
      urls[feed.url] = (entry.key, entry.place.line)
    }
    feeds.append(feed)
  }
  return feeds
}

/// More would be read at every wake of cron for nothing.
private let mostFeeds = 100_000

/// What `defaults` make of a feed that says nothing itself; mistakes in them are reported here, once.
private func readDefaults(_ field: Field?) -> FeedDraft {
  var draft = FeedDraft()
  guard let field, let keys = Section(field, path: "feeds.*") else { return draft }
  if let url = keys["url"] {
    url.pass.report("url belongs to one feed", at: url.keyPlace, cure: "write it under the feed's name")
  }
  draft.read(keys)
  draft.kind.place = nil
  draft.notify?.checkTemplatesOfDefaults()
  return draft
}

private func readFeed(_ entry: Node.Entry, _ defaults: FeedDraft, _ pass: ConfigurationPass) -> FeedSpec? {
  let field = Field(entry, pass)
  let name = FeedName(entry.key)
  if name == nil { pass.report(badName(entry, of: "feed")) }
  var draft = defaults
  var url: SecretText?
  if field.isText {
    url = field.named("url").feedAddress().map(SecretText.plain)
  } else {
    guard !field.node.isNull else {
      field.reportMissing(expecting: "its URL")
      return nil
    }
    guard let keys = Section(field, path: "feeds.*", expecting: "a URL or a mapping with url:") else {
      return nil
    }
    if let field = keys["url"] {
      url = field.secretText(expecting: "a URL") { $0.feedAddress() }
      if case .plain(let text)? = url, FileAddress(text) != nil { reportWhatIsForServers(keys) }
    } else if !keys.misspelt.contains("url") {
      pass.report("feed \"\(field.name)\" has no url", at: entry.place, cure: "write url: https://…")
    }
    draft.read(keys)
  }
  guard let name, let url else { return nil }
  return draft.spec(name: name, url: url, at: entry.place, pass)
}

/// Reports keys that would do nothing for a file; in `defaults` they are for the other feeds.
private func reportWhatIsForServers(_ keys: Section) {
  for field in ["headers", "auth"].compactMap({ keys[$0] }) where !field.node.isNone {
    field.pass.report(
      "\(field.name) is for servers, and this feed is a file", at: field.keyPlace, cure: "remove it")
  }
}

/// The mistake of a feed or hook whose name is none.
func badName(_ entry: Node.Entry, of thing: String) -> Mistake {
  let allowed = "letters, digits, -, _ and ."
  let words = entry.key.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))) }
  let mended = String(words.joined(separator: "-").drop { $0 == "-" || $0 == "." }.prefix(100))
  return Mistake(
    at: entry.place, "\(thing) \"\(shown(entry.key))\" is not a name of \(allowed)",
    cure: FeedName(mended) == nil
      ? "write 1 to 100 of them, a letter or digit first"
      : "write \(mended)" + (thing == "feed" ? ", and what people read as title:" : ""))
}
