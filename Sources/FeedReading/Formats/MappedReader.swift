// JSON of any form, whose items a mapping of the configuration finds. What a part of an item means is MappedItem's
// business.

import Core

/// Reads a document as a mapping says.
///
/// Of several places for the items the first that holds usable ones counts. An empty array there, or null, which is how
/// Go writes one, is a feed without items; a document with nothing at all there, or with nothing in it that any part
/// of the mapping fits, is none, and the failure says what it has instead.
func readMappedJSON(
  _ source: UnsafeBufferPointer<UInt8>, _ mapping: JSONMapping, address: String?,
  shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  if let other = otherThanJSON(source, address: address) { return .failure(.unmapped(other)) }
  var best: MappedReader?
  for pointer in mapping.items {
    var json = JSONScanner(source, shouldStop: shouldStop)
    var reader = MappedReader(mapping, MappedLinks(base: documentBase(address), documentSize: source.count))
    var steps = Int.max
    PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in reader.takeItems(&json) }
    if json.isStopped { return .failure(.stopped) }
    if let fault = json.faultAtEnd { return .failure(.unmapped(fault)) }
    if !reader.feed.items.isEmpty { return .success(reader.feed) }
    if reader.isPlaceThere, best == nil || best?.found == 0 { best = reader }
  }
  guard let best else { return .failure(.unmapped(missing(mapping.items, in: source, shouldStop))) }
  guard best.found == 0 else { return .failure(.unmapped(best.misfit)) }
  return .success(best.feed)
}

/// What begins like no JSON object or array, in words; nil for what does, and for null, which is an empty array of Go's.
private func otherThanJSON(_ source: UnsafeBufferPointer<UInt8>, address: String?) -> String? {
  switch source.first(where: { $0 > 0x20 }) {
  case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
  case UInt8(ascii: "n") where isNull(source): return nil
  case UInt8(ascii: "<"):
    var xml = XMLScanner(source, address: address)
    switch xml.findRoot() {
    case .rss, .atom: return "not JSON: RSS or Atom, which kind: feed reads"
    case .html: return "not JSON: an HTML page"
    case .other(let found): return "not JSON: \(found)"
    }
  default: return "not JSON: text that begins with neither { nor ["
  }
}

/// Whether a document is null and nothing else.
private func isNull(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
  let text = source.drop { $0 <= 0x20 }
  return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy { $0 <= 0x20 }
}

/// Why nothing is where the items should be: the furthest place on the way, and what is there.
private func missing(
  _ pointers: [JSONPointer], in source: UnsafeBufferPointer<UInt8>, _ shouldStop: @escaping ShouldStop
) -> String {
  let places = pointers.map { $0.text.isEmpty ? "the root" : $0.text }.joined(separator: " or ")
  var found: String?
  var tokens = pointers.first?.text.split(separator: "/", omittingEmptySubsequences: false) ?? []
  while found == nil, !tokens.isEmpty {
    let text = tokens.joined(separator: "/")
    tokens.removeLast()
    guard let prefix = try? JSONPointer(parsing: text) else { continue }
    var json = JSONScanner(source, shouldStop: shouldStop)
    var steps = Int.max
    PointerWalk([prefix]).go(over: &json, steps: &steps) { json, _ in
      if found == nil {
        found = (text.isEmpty ? "the document" : text) + " is " + json.shape()
      } else {
        json.skip()
      }
    }
  }
  return "json.items finds no items at \(places)" + (found.map { "; " + $0 } ?? "")
}

extension JSONScanner {
  /// What is wrong with the document behind its root value, in words; nil if it ends there.
  fileprivate var faultAtEnd: String? {
    mutating get {
      if isBroken { return "JSON that is broken or not whole" }
      switch peek() {
      case 0: return nil
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        return "not one JSON document but several, one behind the other (NDJSON)"
      default: return "JSON with something else behind it"
      }
    }
  }
}

/// One walk over a document for one place of the items.
private struct MappedReader {
  /// What was read.
  var feed = ParsedFeed(format: .mapped)
  /// Whether there is anything at the place that can hold items.
  var isPlaceThere = false
  /// How many values were items by their place, usable or not; those beyond the most are not looked at.
  var found = 0
  /// What the first of them is.
  private var firstShape: String?
  /// By which of its parts a value is an item.
  private let telling: [JSONPointer]

  /// Values in items that are still looked at; what is beyond is passed over, so that no document takes minutes.
  private var stepsLeft = 1_000_000
  private let targets: [MappedItem.Target]
  private let walk: PointerWalk
  private var links: MappedLinks

  init(_ mapping: JSONMapping, _ links: MappedLinks) {
    self.links = links
    let aims = JSONMapping.Part.allCases.flatMap { part in
      (mapping.parts[part] ?? []).enumerated().map { number, pointer in
        (target: MappedItem.Target(part: part, rank: Int.max - number), pointer: pointer)
      }
    }
    targets = aims.map(\.target)
    telling = JSONMapping.Part.telling.flatMap { mapping.parts[$0] ?? [] }
    walk = PointerWalk(aims.map(\.pointer))
  }

  /// Reads what is at the place of the items.
  mutating func takeItems(_ json: inout JSONScanner) {
    switch json.peek() {
    case UInt8(ascii: "["):
      isPlaceThere = true
      guard json.enter("[") else { return }
      while json.nextValue() { takeItem(&json) }
    case UInt8(ascii: "{"):
      isPlaceThere = true
      takeItem(&json)
    case UInt8(ascii: "n"):
      isPlaceThere = true
      json.skip()
    default:
      json.skip()
    }
  }

  private mutating func takeItem(_ json: inout JSONScanner) {
    guard json.peek() != UInt8(ascii: "n"), found < ParsedFeed.maximumItems else {
      if json.peek() != UInt8(ascii: "n") { feed.leftOut += 1 }
      json.skip()
      return
    }
    found += 1
    let start = json.position
    var item = MappedItem()
    let targets = targets
    var links = links
    walk.go(over: &json, steps: &stepsLeft) { json, pointers in
      item.take(&json, pointers.map { targets[$0] }, &links)
    }
    self.links = links
    feed.take(item.item)
    if feed.items.isEmpty, firstShape == nil, !json.isBroken {
      firstShape = shapeOfItem(at: start, &json)
    }
  }

  /// What is in the place of a text that would make a value an item; where nothing is, what the value itself is.
  private func shapeOfItem(at start: Int, _ json: inout JSONScanner) -> String {
    for pointer in telling where !pointer.text.isEmpty {
      json.rewind(to: start)
      var found: String?
      var steps = Int.max
      PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in
        if found == nil, json.peek() != UInt8(ascii: "\"") { found = json.shape() } else { json.skip() }
      }
      if let found { return "\(pointer.text) of the first is \(found)" }
    }
    json.rewind(to: start)
    return "the first is " + json.shape()
  }

  /// Why of all the values at the place none is an item.
  var misfit: String {
    let pointers = telling.map { $0.text.isEmpty ? "\"\"" : $0.text }
    return "json finds \(pointers.joined(separator: ", ")) in none of \(found) "
      + (found == 1 ? "item" : "items") + (firstShape.map { "; " + $0 } ?? "")
  }
}
