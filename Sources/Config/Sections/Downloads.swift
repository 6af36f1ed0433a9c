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
      ItemFilter.keysOfDownload, expecting: ItemFilter.example,
      "which files to download; an expression alone is for the address")
    keys.key(
      "name", \.name, .fileName,
      "the file name; a slash creates directories, as in \"{feed}/{title}{ext}\"")
    keys.key(
      "limit", \.limit, ValueType.number(1...1_000_000).orNone,
      "the maximum number of transfers that a run starts")
    keys.key("max-size", \.maxSize, ValueType.size(1).orNone, "larger files are not downloaded")
    keys.mappingOrNone(
      "when", \.conditions, Conditions.init, Conditions.keysOfDownload,
      expecting: "none or a mapping such as {power: ac}",
      "what must hold for its files to be downloaded; files of more than 20 MiB wait for an unmetered network anyway"
    )
    keys.key(
      "keep", \.keep, .keepRule,
      "how many files to keep, how long, or up to which size together; the newest one is never deleted")
  }
}

extension ValueType<KeepRule> {
  /// One limit of what to keep, or a list of limits of different kinds.
  fileprivate static let keepRule = Self(
    "1 to 1000000, duration, size, list or none", none: KeepRule(), write: { _ in "none" }
  ) { field throws(Mistake) in
    var rule = KeepRule()
    _ = try field.oneOrMore(expecting: nil) { limit throws(Mistake) in try limit.readLimit(into: &rule) }
    return rule
  }
}

extension Field {
  fileprivate static let keepExample = "50, 90d, 20GiB or a list of these"

  /// Reads a number of files, their age or their size together, whichever the text says.
  fileprivate func readLimit(into rule: inout KeepRule) throws(Mistake) {
    let text = try text(expecting: Self.keepExample)
    let isSecond: Bool
    if Int(text) != nil {
      isSecond = rule.count != nil
      rule.count = try wholeNumber(in: 1...1_000_000)
    } else if Interval(text: text) != nil {
      isSecond = rule.age != nil
      rule.age = try interval(atLeast: .seconds(1))
    } else if ByteCount(text: text) != nil {
      isSecond = rule.size != nil
      rule.size = try size(atLeast: ByteCount(1))
    } else {
      throw mistake(
        "\(name) \"\(shown(text))\" is not a number, a duration or a size", cure: "write \(Self.keepExample)")
    }
    try require(!isSecond, "keep has two limits of one kind", cure: "keep one of them")
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
