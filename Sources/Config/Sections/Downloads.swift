// `download` and `push` of a feed: which files to download, to which directory, which to keep, and what a push fetches.
// FileNames and Templates have the names of files.

import Core

extension DownloadSpec {
  static let keys = Keys("feeds.*.download", DownloadSpec()) { keys in
    keys.key(
      "types", \.types, .mediaTypes,
      "the media types to download, for example \"audio/*\"; \"image/*\" includes pictures of items")
    keys.mapping(
      "filter", \.filter,
      .filter(
        "feeds.*.download.filter", "download only files that meet one of these conditions",
        "skip files that meet one of these conditions"), expecting: ItemFilter.example,
      "which files to download; an expression alone is for the address")
    keys.key(
      "name", \.name, .fileName,
      "the file name; a slash creates directories, as in \"{feed}/{title}{ext}\"")
    keys.key(
      "limit", \.limit, .numberOrNone(1...1_000_000), "the maximum number of transfers that a run starts")
    keys.key("max-size", \.maxSize, .sizeOrNone, "larger files are not downloaded")
    keys.mappingOrNone(
      "when", \.conditions, Conditions.init, Conditions.keys("feeds.*.download.when"),
      expecting: { _ in "none or a mapping such as {power: ac}" },
      "what must hold for its files to be downloaded; files of more than 20 MiB wait for an unmetered network anyway"
    )
    keys.row("keep", "mapping or none", "none", "which files to keep; the newest one is never deleted") {
      field, spec, _ throws(Mistake) in
      if field.node.isNone {
        spec.keep = KeepRule()
      } else {
        try KeepRule.keys.read(field, into: &spec.keep, expecting: field.keepExample)
      }
    }
    keys.below(KeepRule.keys)
  }
}

extension KeepRule {
  fileprivate static let keys = Keys("feeds.*.download.keep", KeepRule()) { keys in
    keys.key("count", \.count, .numberOrNone(1...1_000_000), "the maximum number of files")
    keys.key("age", \.age, .intervalOrNone, "how long to keep a file")
    keys.key("size", \.size, .sizeOrNone, "the maximum total size of the files")
  }
}

extension Field {
  /// Warns if one allowed file may fill the size that `keep` allows, and of names that surprise.
  func checkDownload(_ spec: DownloadSpec?, isAsset: Bool) {
    if let name = spec?.name { entry(under: "name")?.warnOfName(name, isOneFile: isAsset) }
    guard let most = spec?.maxSize, let room = spec?.keep.size, room < most,
      let field = entry(under: "keep")?.entry(under: "size") ?? entry(under: "max-size")
    else { return }
    field.warn(
      "keep.size is \(room.written) and max-size is \(most.written): one file may displace all others",
      cure: "reduce max-size, or raise keep.size")
  }

  /// A correct `download`, made of the written value.
  var downloadExample: String {
    guard let text = node.text else { return "{} for every enclosure, or none" }
    let word = text.lowercased()
    if ["false", "no", "off", "never"].contains(word) { return "none" }
    if let type = likelyMediaType(of: word) {
      return "{types: [\"\(type)\"]} for the enclosures of that type"
    }
    return "{} for every enclosure, or none"
  }

  /// A correct `keep`: the limit that a bare value probably means.
  fileprivate var keepExample: String {
    if let word = node.text {
      if ["all", "forever"].contains(word) { return "none" }
      if Int(word) != nil { return "{count: \(word)}" }
      if Interval(text: word) != nil { return "{age: \(word)}" }
      if ByteCount(text: word) != nil { return "{size: \(word)}" }
    }
    return "{count: 50}, {age: 90d} or {size: 20GiB}"
  }

  /// A correct `push`, made of the written value.
  var pushExample: String {
    if let word = node.text, word.contains("://") { return "{url: \"\(shown(word))\"}" }
    return "{url: \"https://planet.example/{content-id}.mp3\"} or {limit: 6/1h}"
  }
}

extension PushSpec {
  static let keys = Keys("feeds.*.push", PushSpec()) { keys in
    keys.key(
      "url", \.url,
      ValueType("URL template or none", write: { _ in "none" }) { field throws(Mistake) in
        try field.named("push.url").pushAddress()
      },
      "the file to download on a push, instead of fetching the feed, as in \"https://planet.example/{content-id}.mp3\""
    )
    keys.key(
      "description", \.description,
      ValueType("template or none", write: { _ in "none" }) { field throws(Mistake) in
        try field.named("push.description").pushDescription()
      }, "the title of that file, as in \"Episode {content-id}\"")
    keys.key(
      "limit", \.limit,
      ValueType("number in a duration", write: { "\($0.count)/\($0.interval.text)" }) {
        field throws(Mistake) in
        try field.named("push.limit").pushLimit()
      }, "the maximum number of fetches caused by pushes, up to 1000 in up to 30d")
  }
}

extension Field {
  /// The number of fetches that pushes may cause in a period: `6/1h`.
  fileprivate func pushLimit() throws(Mistake) -> PushLimit {
    let expected = "a number and a duration such as 6/1h"
    let text = try text(expecting: expected)
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), let interval = Interval(text: String(parts[1])) else {
      throw mistake(
        Int(text) == nil
          ? "\(name) \"\(shown(text))\" is not a number in a duration" : "\(name) \(text) has no duration",
        cure: "write " + expected)
    }
    let isCount = (1...1000).contains(count)
    try require(
      isCount && interval >= .seconds(1) && interval <= .days(30), "\(name) \(shown(text)) is out of range",
      cure: isCount ? "write 1s to 30d after the slash" : "write 1 to 1000 before the slash")
    return PushLimit(count: count, interval: interval)
  }
}
