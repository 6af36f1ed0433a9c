// `kind`, `json` and `html`: the kind of document, and where in JSON or in a page its items are.
//
// Keys that mean nothing to a feed of kind `asset` are reported in the feed itself; in `defaults` they apply to other feeds.

import Core

/// The words of `kind`.
enum KindWord: String, CaseIterable {
  case feed, json, html, asset
}

// MARK: JSON

extension JSONMapping {
  static let example = "{items: /releases, id: /id, title: /name, link: /url}"

  static let keys = Keys("feeds.*.json", JSONMapping(items: [], parts: [:])) { keys in
    keys.key(
      "items", \.items, .pointers("pointer or list of pointers", JSONPointer.init(parsing:)),
      "the list of items, relative to the document")
    for part in Part.allCases {
      keys.optional(
        part.rawValue, \.parts[part],
        .pointers("pointer, template or list of pointers or templates", JSONSource.init(parsing:)),
        default: nil, help(part))
    }
    keys.key(
      "only", \.only, .conditions,
      "use only items whose members have these values, as in {prerelease: false}")
    keys.row("only.*", "text or list of text", nil, "the values that the member may have")
    keys.key(
      "allow-empty", \.allowsEmpty, .flag, default: nil,
      "whether a document with nothing at the place of the items has none; by default it is a failure")
  }

  private static func help(_ part: Part) -> String {
    switch part {
    case .id: "an item's identity, relative to the item"
    case .title: "an item's title"
    case .link: "an item's page"
    case .published: "when an item was published"
    case .updated: "when an item last changed"
    case .summary: "an item's summary, as text or HTML"
    case .author: "an item's author"
    case .assets: "an item's files"
    }
  }
}

extension JSONMapping {
  /// Reports keys that a feed of this kind lacks.
  func check(of name: FeedName, at location: Location, _ pass: ConfigurationPass) {
    let missing: (what: String, cure: String)
    if items.isEmpty && parts.isEmpty {
      missing = (
        "feed \"\(name)\" of kind json does not say where the items are", "write json: \(Self.example)"
      )
    } else if items.isEmpty {
      missing = (
        "json has no items", "write items: /releases, or items: \"\" if the document itself is the list"
      )
    } else if Part.identifying.allSatisfy({ parts[$0] == nil }) {
      missing = (
        "json has no field that identifies items", "write id: /id, or at least one of title, link and summary"
      )
    } else {
      return
    }
    pass.report(missing.what, at: location, cure: missing.cure)
  }
}

extension ValueType {
  /// One pointer, or a list in which the first pointer that finds a value counts.
  fileprivate static func pointers<Pointer>(
    _ words: String, _ parse: @escaping @Sendable (String) throws(TextProblem) -> Pointer
  ) -> Self where Value == [Pointer] {
    Self(words) { field throws(Mistake) in
      try field.oneOrMore(expecting: "a pointer, or none") { entry throws(Mistake) in
        try entry.parsed(
          expecting: "a JSON pointer such as /name", { "\(entry.name) \"\(shown($0))\" " }, parse)
      }
    }
  }
}

extension ValueType<[JSONCondition]> {
  /// Conditions on members of items: a value or a list of values for each pointer or name.
  fileprivate static let conditions = Self("mapping") { field throws(Mistake) in
    let example = "a mapping such as {prerelease: false}"
    var conditions: [JSONCondition] = []
    for entry in try field.entries(expecting: example) where !entry.key.hasPrefix("x-") {
      let name = entry.key.hasPrefix("/") ? entry.key : "/" + entry.key
      guard let pointer = try? JSONPointer(parsing: name) else {
        throw Mistake(
          at: entry.location, "\"\(shown(entry.key))\" is not a member or JSON pointer",
          cure: "write \(example)"
        )
      }
      let values = try Field(entry, field.pass).oneOrMore(expecting: "the values that the member may have") {
        value throws(Mistake) in try value.jsonValue()
      }
      conditions.append(JSONCondition(pointer, values: values))
    }
    return conditions
  }
}

extension Field {
  /// A value as JSON writes it, a string without quotes.
  fileprivate func jsonValue() throws(Mistake) -> String {
    if node.isNull { return "null" }
    let text = try text(expecting: "a value such as false")
    return node.isBoolean ? text.lowercased() : text
  }
}

// MARK: Pages

extension HTMLMapping {
  static let keys = Keys("feeds.*.html", HTMLMapping()) { keys in
    keys.key(
      "items", \.items, .selector(SelectorList.init(parsing:)),
      "the elements that are items, by a CSS selector")
    keys.key(
      "text", \.text, .selector(SelectorList.init(parsing:)),
      "without items: the elements whose text to watch; by default the whole body but navigation")
    keys.key(
      "ignore", \.ignored, .selector(SelectorList.init(parsing:)),
      "without items: the elements in the text whose changes do not count")
    keys.key(
      "ignore-lines", \.ignoredLines, .patterns, default: nil,
      "without items: the lines whose changes do not count")
    keys.optional(
      "only", \.onlyChanges, .word, default: nil, "without items: whether only added or removed lines count")
    for part in JSONMapping.Part.allCases {
      keys.key(part.rawValue, \.parts[part], .selector(PageValue.init(parsing:)), help(part))
    }
    keys.key(
      "allow-empty", \.allowsEmpty, .flag, default: nil,
      "whether a page in which nothing matches items or text is empty; by default it is a failure")
  }

  private static func help(_ part: JSONMapping.Part) -> String {
    switch part {
    case .id: "an item's identity; by default its link"
    case .title: "an item's title; by default its first heading, or the text of its first link"
    case .link: "an item's page; by default its first link"
    case .published: "when an item was published; by default its first time element"
    case .updated: "when an item last changed"
    case .summary: "an item's content, as HTML"
    case .author: "an item's author"
    case .assets: "an item's files, for example img@src"
    }
  }
}

extension ValueType {
  static func selector<Selector: Sendable>(
    _ parse: @escaping @Sendable (String) throws(TextProblem) -> Selector
  ) -> Self where Value == Selector? {
    Self("selector") { field throws(Mistake) in
      try field.parsed(
        expecting: "a CSS selector such as \"h2 a\"", { "\(field.name) \"\(shown($0))\" " }, parse)
    }
  }
}

extension HTMLMapping {
  /// Reports selectors that exclude each other.
  func check(at location: Location, _ pass: ConfigurationPass) {
    let hasText = text != nil || ignored != nil || onlyChanges != nil || !ignoredLines.isEmpty
    if items != nil, hasText {
      pass.report(
        "html has both items and keys of a text to watch", at: location,
        cure: "write items for a list of news, or text to watch the text of the page")
    } else if items == nil, !parts.isEmpty {
      pass.report(
        "html has no items", at: location,
        cure: "write items: \"article\", or keep only text to watch the text of the page")
    }
  }
}
