// `kind`, `json` and `html`: the kind of document, and where in JSON or in a page its items are.
//
// Keys that mean nothing to a feed of kind `asset` are reported in the feed itself; in `defaults` they apply to other feeds.

import Core

/// The words of `kind`.
enum KindWord: String, CaseIterable {
  case feed, json, html, asset
}

/// Where the items of one kind of document are, while it is read; some of the keys may be in `defaults`.
struct MappingDraft<Mapping> {
  var mapping: Mapping
  /// The location of the feed's own mapping; nil for the one of `defaults`, which may be meant for feeds of another kind.
  var location: Location?
  /// Whether a mistake was reported already.
  var isBroken = false

  init(_ mapping: Mapping) { self.mapping = mapping }

  /// Reads the mapping over earlier values; `none` removes these.
  fileprivate mutating func read(
    _ field: Field, _ keys: Keys<Mapping>, over blank: Mapping, example: String
  ) {
    guard !field.node.isNone else { return self = MappingDraft(blank) }
    location = field.keyLocation
    let before = field.pass.mistakeCount
    field.reported { field throws(Mistake) in try keys.read(field, into: &mapping, expecting: example) }
    isBroken = isBroken || field.pass.mistakeCount > before
  }
}

// MARK: JSON

private let jsonExample = "{items: /releases, id: /id, title: /name, link: /url}"

extension JSONMapping {
  fileprivate static let blank = JSONMapping(items: [], parts: [:])

  static let keys = Keys("feeds.*.json", blank) { keys in
    keys.key(
      "items", \.items, .pointers("pointer or list of pointers", JSONPointer.init(parsing:)), default: nil,
      "the list of items, relative to the document")
    for part in Part.allCases {
      keys.optional(
        part.rawValue, \.parts[part],
        .pointers("pointer, template or list of pointers or templates", JSONSource.init(parsing:)),
        default: nil, help(part))
    }
    keys.key(
      "only", \.only, .conditions, default: nil,
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

extension MappingDraft<JSONMapping> {
  init() { self.init(.blank) }

  mutating func read(_ field: Field) { read(field, JSONMapping.keys, over: .blank, example: jsonExample) }

  /// The kind of a feed; reports missing keys at the feed's field.
  fileprivate func whole(of name: FeedName, at feed: Location, _ pass: ConfigurationPass) -> FeedKind {
    let missing: (what: String, cure: String)
    if mapping.items.isEmpty && mapping.parts.isEmpty {
      missing = (
        "feed \"\(name)\" of kind json does not say where the items are", "write json: \(jsonExample)"
      )
    } else if mapping.items.isEmpty {
      missing = (
        "json has no items", "write items: /releases, or items: \"\" if the document itself is the list"
      )
    } else if JSONMapping.Part.identifying.allSatisfy({ mapping.parts[$0] == nil }) {
      missing = (
        "json has no field that identifies items", "write id: /id, or at least one of title, link and summary"
      )
    } else {
      return .json(mapping)
    }
    pass.report(missing.what, at: location ?? feed, cure: missing.cure)
    return .feed
  }
}

extension ValueType {
  /// One pointer, or a list in which the first pointer that finds a value counts.
  fileprivate static func pointers<Pointer>(
    _ words: String, _ parse: @escaping @Sendable (String) throws(TextProblem) -> Pointer
  ) -> Self where Value == [Pointer] {
    Self(words) { field throws(Mistake) in try field.pointers(parse) }
  }
}

/// The maximum number of pointers in a list; each searches the whole document.
private let mostAlternatives = 8

extension Field {
  fileprivate func pointers<Value>(
    _ parse: (String) throws(TextProblem) -> Value
  ) throws(Mistake) -> [Value] {
    guard case .sequence(let nodes) = node.content else { return [try pointer(parse)] }
    try require(
      (1...mostAlternatives).contains(nodes.count),
      nodes.isEmpty ? "\(name) is an empty list" : "\(name) has \(nodes.count) entries",
      cure: "write 1 to \(mostAlternatives) pointers, or none")
    return try values(expecting: "pointers such as [/name, /tag]") { entry throws(Mistake) in
      try entry.pointer(parse)
    }
  }

  private func pointer<Value>(
    _ parse: (String) throws(TextProblem) -> Value
  ) throws(Mistake) -> Value {
    try parsed(expecting: "a JSON pointer such as /name", { "\(name) \"\(shown($0))\" " }, parse)
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
      conditions.append(JSONCondition(pointer, values: try Field(entry, field.pass).jsonValues()))
    }
    return conditions
  }
}

extension Field {
  /// One value or a list of values as JSON writes them, strings without quotes.
  fileprivate func jsonValues() throws(Mistake) -> [String] {
    guard case .sequence(let nodes) = node.content else { return [try jsonValue()] }
    try require(!nodes.isEmpty, "\(name) is an empty list", cure: "write the values that the member may have")
    return try values(expecting: "values such as [false, none]") { entry throws(Mistake) in
      try entry.jsonValue()
    }
  }

  private func jsonValue() throws(Mistake) -> String {
    if node.isNull { return "null" }
    let text = try text(expecting: "a value such as false")
    return node.isBoolean ? text.lowercased() : text
  }
}

// MARK: Pages

extension HTMLMapping {
  static let keys = Keys("feeds.*.html", HTMLMapping()) { keys in
    keys.key(
      "items", \.items, .selector(SelectorList.init(parsing:)), default: nil,
      "the elements that are items, by a CSS selector")
    keys.key(
      "text", \.text, .selector(SelectorList.init(parsing:)), default: nil,
      "without items: the elements whose text to watch; by default the whole body but navigation")
    keys.key(
      "ignore", \.ignored, .selector(SelectorList.init(parsing:)), default: nil,
      "without items: the elements in the text whose changes do not count")
    keys.key(
      "ignore-lines", \.ignoredLines, .patterns, default: nil,
      "without items: the lines whose changes do not count")
    keys.optional(
      "only", \.onlyChanges, .word, default: nil, "without items: whether only added or removed lines count")
    for part in JSONMapping.Part.allCases {
      keys.key(part.rawValue, \.parts[part], .selector(PageValue.init(parsing:)), default: nil, help(part))
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

extension MappingDraft<HTMLMapping> {
  init() { self.init(HTMLMapping()) }

  var hasItems: Bool { mapping.items != nil || isBroken }

  mutating func read(_ field: Field) {
    read(
      field, HTMLMapping.keys, over: HTMLMapping(),
      example: "{items: \"article\", title: \"h2\", link: \"h2 a\"}")
  }

  /// The kind of a feed; reports selectors that exclude each other.
  fileprivate func whole(at feed: Location, _ pass: ConfigurationPass) -> FeedKind {
    let hasText = mapping.text != nil || mapping.ignored != nil || mapping.onlyChanges != nil
    if mapping.items != nil, hasText || !mapping.ignoredLines.isEmpty {
      pass.report(
        "html has both items and keys of a text to watch", at: location ?? feed,
        cure: "write items for a list of news, or text to watch the text of the page")
    } else if mapping.items == nil, !mapping.parts.isEmpty {
      pass.report(
        "html has no items", at: location ?? feed,
        cure: "write items: \"article\", or keep only text to watch the text of the page")
    }
    return .html(mapping)
  }
}

// MARK: Kinds

extension FeedDraft {
  /// The kind of a feed; reports missing keys at the feed's field.
  func wholeKind(of name: FeedName, at feed: Location, _ pass: ConfigurationPass) -> FeedKind {
    guard !isKindBroken, !json.isBroken, !page.isBroken else { return .feed }
    for (word, location) in [(KindWord.json, json.location), (.html, page.location)] {
      guard let location, kind != word else { continue }
      pass.report(
        "\(word) does not apply to a feed of kind \(kind)", at: location,
        cure: "write kind: \(word), or remove \(word)")
    }
    switch kind {
    case .feed: return .feed
    case .asset: return .asset
    case .html: return page.whole(at: feed, pass)
    case .json: return json.whole(of: name, at: feed, pass)
    }
  }
}
