// `kind` and `json`: the kind of document, where in JSON the items are, and the keys that mean nothing to a feed of kind
// `asset`. They are reported where the feed itself has them; in `defaults` they are for other feeds.

import Core

/// An incomplete feed kind; half of it may be in `defaults`.
struct FeedKindDraft {
  private var word = Word.feed
  private var items: [JSONPointer]?
  private var parts: [JSONMapping.Part: [JSONPointer]] = [:]
  /// The place of the feed's own `json`; that of `defaults` is for feeds of that kind.
  var place: Place?
  /// Whether a mistake was reported already.
  private var isBroken = false

  fileprivate enum Word: String, CaseIterable {
    case feed, json, asset
  }

  var isAsset: Bool { word == .asset }

  /// Reads `kind` and `json` over earlier values.
  mutating func read(_ keys: Section) {
    isBroken = isBroken || keys.misspelt.contains("json") || keys.misspelt.contains("kind")
    if let field = keys["kind"] {
      let kind = field.node.isNone ? .feed : field.kind()
      word = kind ?? .feed
      isBroken = isBroken || kind == nil
    }
    guard let field = keys["json"] else { return }
    if field.node.isNone {
      (items, parts) = (nil, [:])
      return
    }
    place = field.keyPlace
    guard let section = Section(field, path: "feeds.*.json", expecting: mappingExample) else {
      isBroken = true
      return
    }
    isBroken = isBroken || !section.misspelt.isEmpty
    if let field = section["items"] { items = pointers(field) }
    for part in JSONMapping.Part.allCases {
      if let field = section[part.rawValue] { parts[part] = pointers(field) }
    }
  }

  private mutating func pointers(_ field: Field) -> [JSONPointer]? {
    guard !field.node.isNone else { return nil }
    let pointers = field.pointers()
    isBroken = isBroken || pointers == nil
    return pointers
  }

  /// The kind of a feed; reports what is missing at the feed's field.
  func whole(of name: FeedName, at feed: Place, _ pass: ConfigurationPass) -> FeedKind {
    guard !isBroken else { return .feed }
    guard word == .json else {
      if let place {
        pass.report(
          "json is only for feeds of kind json", at: place,
          cure: isAsset ? "write kind: json instead of asset, or remove json" : "add kind: json")
      }
      return isAsset ? .asset : .feed
    }
    guard items != nil || !parts.isEmpty else {
      pass.report(
        "feed \"\(name)\" of kind json does not say where the items are", at: place ?? feed,
        cure: "write json: \(mappingExample)")
      return .feed
    }
    guard let items else {
      pass.report(
        "json lacks items", at: place ?? feed,
        cure: "write items: /releases, or items: \"\" if the document itself is the list")
      return .feed
    }
    guard JSONMapping.Part.identifying.contains(where: { parts[$0] != nil }) else {
      pass.report(
        "json lacks a field that identifies items", at: place ?? feed,
        cure: "write id: /id, or at least one of title, link and summary")
      return .feed
    }
    return .json(JSONMapping(items: items, parts: parts))
  }
}

private let mappingExample = "{items: /releases, id: /id, title: /name, link: /url}"

extension Field {
  fileprivate func kind() -> FeedKindDraft.Word? {
    let expected = "feed, json or asset"
    guard let kind = text(expecting: expected) else { return nil }
    if let word = FeedKindDraft.Word(rawValue: kind) { return word }
    switch kind.lowercased() {
    case let kind where ["rss", "atom", "rdf", "xml", "json-feed", "jsonfeed", "podcast"].contains(kind):
      report("unknown kind \"\(kind)\"", cure: "write feed, which detects the format")
    case "file", "download", "enclosure", "binary", "raw":
      report("unknown kind \"\(shown(kind))\"", cure: "write asset for a URL that is the file itself")
    default:
      reportUnknownWord(kind, among: FeedKindDraft.Word.allCases.map(\.rawValue), expecting: expected)
    }
    return nil
  }

  /// One pointer or a list, of which the first that finds a value counts.
  fileprivate func pointers() -> [JSONPointer]? {
    guard case .sequence = node.content else { return pointer().map { [$0] } }
    guard let elements = elements(expecting: "pointers such as [/name, /tag]") else { return nil }
    guard (1...mostAlternatives).contains(elements.count) else {
      report(
        elements.isEmpty ? "\(name) is an empty list" : "\(name) has \(elements.count) entries",
        cure: "write 1 to \(mostAlternatives) pointers, or none")
      return nil
    }
    let pointers = elements.compactMap { $0.pointer() }
    return pointers.count == elements.count ? pointers : nil
  }

  private func pointer() -> JSONPointer? {
    let example = "a JSON pointer such as /name"
    guard let text = text(expecting: example) else { return nil }
    do throws(JSONPointerProblem) {
      return try JSONPointer(parsing: text)
    } catch {
      pass.report(
        "\(name) \"\(shown(text))\" \(error.what)", at: place(ofCharacter: error.column - 1),
        cure: shown(error.cure))
      return nil
    }
  }
}

/// The maximum number of pointers for one thing; each searches the whole document.
private let mostAlternatives = 8

/// Reports the keys of a feed of kind `asset` that are about items, and warns of those about documents.
func reportWhatIsForItems(_ keys: Section) {
  let download = keys["download"]
  let ofItems =
    ["identity", "filter", "updated"].map { keys[$0] }
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
