// `filter` of a feed and of its downloads: conditions in the same words.

import Core

extension ItemFilter {
  static let keysOfFeed = keys(
    "feeds.*.filter", "use only items that meet one of these conditions",
    "ignore items that meet one of these conditions")
  static let keysOfDownload = keys(
    "feeds.*.download.filter", "download only files that meet one of these conditions",
    "skip files that meet one of these conditions")

  private static func keys(_ path: String, _ include: String, _ exclude: String) -> Keys<ItemFilter> {
    Keys(path, ItemFilter()) { keys in
      keys.key("include", \.include, .conditions, include)
      keys.key("exclude", \.exclude, .conditions, exclude)
    }
  }

  static let example = "{include: [], exclude: []}"
}

extension ItemCondition {
  static let keys = Keys("condition", ItemCondition()) { keys in
    for part in Part.written {
      keys.optional(
        part.rawValue, \.patterns[part], .oneOrMorePatterns, default: nil,
        "the \(part.rawValue) matches this expression, or one of these")
    }
    keys.key(
      "duration", \.duration, .bounds("bound of time", "under 5m or over 3h", { Interval(text: $0) }),
      "it plays for less or more time, as in \"under 5m\" or \"over 3h\"")
    keys.key(
      "size", \.size, .bounds("bound of size", "under 1MiB or over 2GiB", { ByteCount(text: $0) }),
      "the file, or the item's largest file, is smaller or larger, as in \"over 2GiB\"")
  }
}

extension ValueType<[ItemCondition]> {
  /// One condition or several: an expression, or a mapping of `ItemCondition.keys`.
  fileprivate static let conditions = Self(
    "regular expression, condition or list", write: { _ in "[]" }
  ) { field throws(Mistake) in
    try field.oneOrMore(expecting: nil) { entry throws(Mistake) in try entry.condition() }
  }
}

extension ValueType<[String]> {
  fileprivate static let oneOrMorePatterns = Self("regular expression or list") { field throws(Mistake) in
    try field.oneOrMore(expecting: nil) { entry throws(Mistake) in try entry.pattern() }
  }
}

extension ValueType {
  /// A bound such as `under 5m`.
  fileprivate static func bounds<Bound>(
    _ words: String, _ example: String, _ parse: @escaping @Sendable (String) -> Bound?
  ) -> Self where Value == ItemCondition.Bounds<Bound> {
    Self(words) { field throws(Mistake) in
      let text = try field.text(expecting: example)
      let parts = text.split(separator: " ").map(String.init)
      switch (parts.first, parts.count == 2 ? parse(parts[1]) : nil) {
      case ("under", let value?): return ItemCondition.Bounds(below: value)
      case ("over", let value?): return ItemCondition.Bounds(above: value)
      default:
        throw field.mistake("\(field.name) \"\(shown(text))\" is not a bound", cure: "write \(example)")
      }
    }
  }
}

extension Field {
  fileprivate func condition() throws(Mistake) -> ItemCondition {
    guard isMapping else { return ItemCondition(any: try pattern()) }
    var condition = ItemCondition()
    let before = pass.mistakeCount
    try ItemCondition.keys.read(self, into: &condition)
    guard !condition.isEmpty || pass.mistakeCount > before else {
      throw mistake("\(name) has an empty condition", cure: "write one such as {title: sponsored}")
    }
    return condition
  }
}
