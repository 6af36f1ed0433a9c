// `kind` and `json`: the kind of document, and where in JSON its items are. PageDraft.swift reads `html`.
//
// Keys that mean nothing to a feed of kind `asset` are reported in the feed itself; in `defaults` they apply to other feeds.

import Core

/// A feed kind while it is read; some of its keys may be in `defaults`.
struct FeedKindDraft {
  private var word = Word.feed
  private var items: [JSONPointer]?
  private var parts: [JSONMapping.Part: [JSONSource]] = [:]
  private var only: [JSONCondition] = []
  private var allowsEmpty = false
  /// The selectors of a page.
  private(set) var page = PageDraft()
  /// The place of the feed's own `json`; nil for that of `defaults`, which applies only to feeds of kind json.
  var place: Place?
  /// Whether a mistake was reported already.
  private var isBroken = false

  fileprivate enum Word: String, CaseIterable {
    case feed, json, html, asset
  }

  var isAsset: Bool { word == .asset }

  /// Whether changes of a page's text are the items.
  var isPageText: Bool { word == .html && !page.hasItems }

  /// Forgets the places of mappings in `defaults`, because those may be meant for feeds of another kind.
  mutating func forgetPlaces() {
    place = nil
    page.place = nil
  }

  /// Reads `kind` and `json` over earlier values.
  mutating func read(_ keys: Section) {
    isBroken = isBroken || keys.misspelt.contains("json") || keys.misspelt.contains("kind")
    if let field = keys["kind"] {
      let kind = field.node.isNone ? .feed : field.kind()
      word = kind ?? .feed
      isBroken = isBroken || kind == nil
    }
    if let field = keys["html"] { page.read(field) }
    guard let field = keys["json"] else { return }
    if field.node.isNone {
      (items, parts, only, allowsEmpty) = (nil, [:], [], false)
      return
    }
    place = field.keyPlace
    guard let section = Section(field, path: "feeds.*.json", expecting: mappingExample) else {
      isBroken = true
      return
    }
    isBroken = isBroken || !section.misspelt.isEmpty
    if let field = section["items"] { items = read(field, JSONPointer.init(parsing:)) }
    for part in JSONMapping.Part.allCases {
      if let field = section[part.rawValue] { parts[part] = read(field, JSONSource.init(parsing:)) }
    }
    section.read("allow-empty", into: &allowsEmpty, unset: false) { $0.flag() }
    if let field = section["only"] {
      let conditions = field.node.isNone ? [] : field.conditions()
      isBroken = isBroken || conditions == nil
      only = conditions ?? []
    }
  }

  private mutating func read<Value>(
    _ field: Field, _ parse: (String) throws(TextProblem) -> Value
  ) -> [Value]? {
    guard !field.node.isNone else { return nil }
    let values = field.pointers(parse)
    isBroken = isBroken || values == nil
    return values
  }

  /// The kind of a feed; reports missing keys at the feed's field.
  func whole(of name: FeedName, at feed: Place, _ pass: ConfigurationPass) -> FeedKind {
    guard !isBroken, !page.isBroken else { return .feed }
    for (key, place) in [("json", word == .json ? nil : place), ("html", word == .html ? nil : page.place)] {
      guard let place else { continue }
      pass.report(
        "\(key) is only for feeds of kind \(key)", at: place,
        cure: word == .feed
          ? "add kind: \(key)" : "write kind: \(key) instead of \(word.rawValue), or remove \(key)")
    }
    switch word {
    case .feed: return .feed
    case .asset: return .asset
    case .html: return .html(page.whole(at: page.place ?? feed, pass))
    case .json: return json(of: name, at: feed, pass)
    }
  }

  private func json(of name: FeedName, at feed: Place, _ pass: ConfigurationPass) -> FeedKind {
    guard items != nil || !parts.isEmpty else {
      pass.report(
        "feed \"\(name)\" of kind json does not say where the items are", at: place ?? feed,
        cure: "write json: \(mappingExample)")
      return .feed
    }
    guard let items else {
      pass.report(
        "json has no items", at: place ?? feed,
        cure: "write items: /releases, or items: \"\" if the document itself is the list")
      return .feed
    }
    guard JSONMapping.Part.identifying.contains(where: { parts[$0] != nil }) else {
      pass.report(
        "json has no field that identifies items", at: place ?? feed,
        cure: "write id: /id, or at least one of title, link and summary")
      return .feed
    }
    return .json(JSONMapping(items: items, parts: parts, only: only, allowsEmpty: allowsEmpty))
  }
}

private let mappingExample = "{items: /releases, id: /id, title: /name, link: /url}"

extension Field {
  fileprivate func kind() -> FeedKindDraft.Word? {
    let expected = "feed, json, html or asset"
    guard let kind = text(expecting: expected) else { return nil }
    if let word = FeedKindDraft.Word(rawValue: kind) { return word }
    switch kind.lowercased() {
    case let kind where ["rss", "atom", "rdf", "xml", "json-feed", "jsonfeed", "podcast"].contains(kind):
      report("unknown kind \"\(kind)\"", cure: "write feed, which detects the format")
    case "page", "web", "website", "xhtml":
      report("unknown kind \"\(kind)\"", cure: "write html for a web page")
    case "file", "download", "enclosure", "binary", "raw":
      report("unknown kind \"\(shown(kind))\"", cure: "write asset for a URL that is the file itself")
    default:
      reportUnknownWord(kind, among: FeedKindDraft.Word.allCases.map(\.rawValue), expecting: expected)
    }
    return nil
  }

  /// One pointer, or a list in which the first pointer that finds a value counts.
  fileprivate func pointers<Value>(
    _ parse: (String) throws(TextProblem) -> Value
  ) -> [Value]? {
    guard case .sequence = node.content else { return pointer(parse).map { [$0] } }
    guard let elements = elements(expecting: "pointers such as [/name, /tag]") else { return nil }
    guard (1...mostAlternatives).contains(elements.count) else {
      report(
        elements.isEmpty ? "\(name) is an empty list" : "\(name) has \(elements.count) entries",
        cure: "write 1 to \(mostAlternatives) pointers, or none")
      return nil
    }
    let pointers = elements.compactMap { $0.pointer(parse) }
    return pointers.count == elements.count ? pointers : nil
  }

  private func pointer<Value>(_ parse: (String) throws(TextProblem) -> Value) -> Value? {
    let example = "a JSON pointer such as /name"
    guard let text = text(expecting: example) else { return nil }
    do throws(TextProblem) {
      return try parse(text)
    } catch {
      pass.report(
        "\(name) \"\(shown(text))\" \(error.what)", at: place(ofCharacter: error.column - 1),
        cure: shown(error.cure))
      return nil
    }
  }
}

extension Field {
  /// Conditions on members of items: a value or a list of values for each pointer or name.
  fileprivate func conditions() -> [JSONCondition]? {
    let example = "a mapping such as {prerelease: false}"
    guard let entries = entries(expecting: example) else { return nil }
    var conditions: [JSONCondition] = []
    for entry in entries where !entry.key.hasPrefix("x-") {
      let name = entry.key.hasPrefix("/") ? entry.key : "/" + entry.key
      guard let pointer = try? JSONPointer(parsing: name) else {
        pass.report(
          "\"\(shown(entry.key))\" is not a member or JSON pointer", at: entry.place, cure: "write \(example)"
        )
        return nil
      }
      let field = Field(entry, pass)
      guard let values = field.values() else { return nil }
      conditions.append(JSONCondition(pointer, values: values))
    }
    return conditions
  }

  /// One value or a list of values as JSON writes them, strings without quotes.
  private func values() -> [String]? {
    guard case .sequence = node.content else { return value().map { [$0] } }
    guard let elements = elements(expecting: "values such as [false, none]") else { return nil }
    let values = elements.compactMap { $0.value() }
    guard !elements.isEmpty else {
      report("\(name) is an empty list", cure: "write the values that the member may have")
      return nil
    }
    return values.count == elements.count ? values : nil
  }

  private func value() -> String? {
    if node.isNull { return "null" }
    guard let text = text(expecting: "a value such as false") else { return nil }
    return node.isBoolean ? text.lowercased() : text
  }
}

/// The maximum number of pointers in a list; each searches the whole document.
private let mostAlternatives = 8

/// Reports the keys of a feed of kind `asset` that are about items, and warns of those about documents.
func reportItemKeys(_ keys: Section) {
  let download = keys["download"]
  let ofItems =
    ["identity", "filter", "updated", "body"].map { keys[$0] }
    + ["select", "filter", "limit"].map { download?.entry(under: $0) }
    + ["url", "description"].map { keys["push"]?.entry(under: $0)?.named("push.\($0)") }
  for field in ofItems.compactMap({ $0 }) where !field.node.isNone {
    field.pass.report(
      "\(field.name) does not apply to a feed of kind asset, which is a single file", at: field.keyPlace,
      cure: "remove it")
  }
  if let field = keys["first-run"]?.entry(under: "download") {
    field.pass.warn(
      "first-run.download has no effect: the file of a feed of kind asset is always downloaded",
      at: field.keyPlace, cure: "remove it")
  }
  if let field = keys["network"]?.entry(under: "max-feed-size"), !field.node.isNone {
    field.pass.warn(
      "max-feed-size does not apply to a feed of kind asset", at: field.keyPlace,
      cure: "write download: {max-size: …}")
  }
}

extension Field {
  /// Reports the address of a feed of kind `asset` that is a file of this machine.
  func reportFileAsAsset() {
    report(
      "kind asset downloads its file, but this url is already a file on this machine",
      cure: "write an http or https URL, or kind: feed to read items from the file")
  }
}
