// JSON of any form, in which a mapping of the configuration finds items and their parts.

import Core

/// Reads a document by a mapping.
///
/// The first of several pointers to the items that finds usable ones counts. An empty array there is a feed without
/// items, and so is null, which Go writes for an empty array. If there is nothing at all, or nothing that fits the mapping,
/// the failure says what the document has instead.
func readMappedJSON(
  _ source: UnsafeBufferPointer<UInt8>, _ mapping: JSONMapping, address: String?,
  shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  if let other = otherThanJSON(source, address: address) { return .failure(.unmapped(other)) }
  var best: MappedReader?
  for pointer in mapping.items {
    var json = JSONScanner(source, shouldStop: shouldStop)
    var reader = MappedReader(mapping, LinkResolver(at: address, documentSize: source.count))
    var steps = Int.max
    PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in reader.parseItems(&json) }
    if json.stopCheck.isStopped { return .failure(.stopped) }
    if let fault = json.faultAtEnd { return .failure(.unmapped(fault)) }
    if !reader.feed.items.isEmpty { return .success(reader.feed) }
    if reader.placeExists, best == nil || best?.found == 0 { best = reader }
  }
  guard let best else {
    if mapping.allowsEmpty { return .success(ParsedFeed(format: .mapped)) }
    return .failure(.unmapped(missing(mapping.items, in: source, shouldStop)))
  }
  guard best.found == 0 else { return .failure(.unmapped(best.misfit)) }
  return .success(best.feed)
}

/// A description of a document that does not begin like a JSON object or array; nil for these, and for null.
private func otherThanJSON(_ source: UnsafeBufferPointer<UInt8>, address: String?) -> String? {
  switch source.first(where: { $0 > 0x20 }) {
  case "{", "[": return nil
  case "n" where isNull(source): return nil
  case "<":
    var xml = XMLScanner(source, address: address)
    switch xml.findRoot() {
    case .feed: return "not JSON: RSS or Atom, which kind: feed reads"
    case .html: return "not JSON: an HTML page"
    case .other(let found): return "not JSON: \(found)"
    }
  default: return "not JSON: text that begins with neither { nor ["
  }
}

private func isNull(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
  let text = source.drop { $0 <= 0x20 }
  return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy { $0 <= 0x20 }
}

/// The reason why there are no items: the last existing value on the way to them, and its kind.
private func missing(
  _ pointers: [JSONPointer], in source: UnsafeBufferPointer<UInt8>, _ shouldStop: @escaping ShouldStop
) -> String {
  let tried = pointers.map { $0.text.isEmpty ? "the root" : $0.text }.joined(separator: " or ")
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
  return "json.items finds no items at \(tried)" + (found.map { "; " + $0 } ?? "")
}

extension JSONScanner {
  /// A description of the fault if the document does not end after its root value.
  fileprivate var faultAtEnd: String? {
    mutating get {
      if isBroken { return "JSON that is broken or incomplete" }
      switch peek() {
      case 0: return nil
      case "{", "[":
        return "not one JSON document but several, one after the other (NDJSON)"
      default: return "JSON with something else after it"
      }
    }
  }
}

/// One walk over a document with one pointer to the items.
private struct MappedReader {
  var feed = ParsedFeed(format: .mapped)
  /// Whether the pointer finds an object, an array or null.
  var placeExists = false
  /// The number of values at the items' place that meet the conditions, usable or not, up to `maximumItems`.
  var found = 0
  /// A description of the first one.
  private var firstShape: String?
  /// The pointers to the parts that make a value an item.
  private let identifying: [JSONPointer]

  /// The number of values in items that may still be visited, so that no document takes minutes.
  private var stepsLeft = 1_000_000
  private let lookups: MappedLookups
  private let walk: PointerWalk
  private var links: LinkResolver

  init(_ mapping: JSONMapping, _ links: LinkResolver) {
    self.links = links
    lookups = MappedLookups(mapping)
    identifying = JSONMapping.Part.identifying.flatMap { mapping.parts[$0] ?? [] }.flatMap(\.pointers)
    walk = PointerWalk(lookups.pointers)
  }

  /// Reads the value at the items' place.
  mutating func parseItems(_ json: inout JSONScanner) {
    switch json.peek() {
    case "[":
      placeExists = true
      guard json.enter("[") else { return }
      while json.nextValue() { parseItem(&json) }
    case "{":
      placeExists = true
      parseItem(&json)
    case "n":
      placeExists = true
      json.skip()
    default:
      json.skip()
    }
  }

  private mutating func parseItem(_ json: inout JSONScanner) {
    guard json.peek() != "n", found < ParsedFeed.maximumItems else {
      if json.peek() != "n" { feed.leftOut += 1 }
      json.skip()
      return
    }
    found += 1
    let start = json.position
    var item = MappedItem(lookups)
    // Copies of what costs nothing to copy, so that the links can be changed in place.
    let (walk, targets) = (walk, lookups.targets)
    var steps = stepsLeft
    walk.go(over: &json, steps: &steps) { json, pointers in
      item.accept(&json, pointers.lazy.map { targets[$0] }, &links)
    }
    stepsLeft = steps
    item.compose(lookups, &links)
    guard item.meets(lookups.conditions) else {
      found -= 1
      return
    }
    feed.accept(item.item(&links))
    feed.partsLeftOut = links.partsLeftOut + (stepsLeft > 0 ? 0 : 1)
    if feed.items.isEmpty, firstShape == nil, !json.isBroken {
      firstShape = shapeOfItem(at: start, &json)
    }
  }

  /// A description of the value in place of a text that would make an item, or of the item itself.
  private func shapeOfItem(at start: Int, _ json: inout JSONScanner) -> String {
    for pointer in identifying where !pointer.text.isEmpty {
      json.rewind(to: start)
      var found: String?
      var steps = Int.max
      PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in
        if found == nil, json.peek() != "\"" { found = json.shape() } else { json.skip() }
      }
      if let found { return "\(pointer.text) of the first is \(found)" }
    }
    json.rewind(to: start)
    return "the first is " + json.shape()
  }

  /// The reason why none of the values is an item.
  var misfit: String {
    let pointers = identifying.map { $0.text.isEmpty ? "\"\"" : $0.text }
    return "json finds \(pointers.joined(separator: ", ")) in none of \(found) "
      + (found == 1 ? "item" : "items") + (firstShape.map { "; " + $0 } ?? "")
  }
}

/// A walk over a JSON value that stops at every value to which a pointer leads.
///
/// Values that no pointer leads through are skipped. So the walk goes no deeper than the longest pointer, and its time is
/// proportional to the document's size and the number of pointers.
struct PointerWalk {
  private let pointers: [[JSONPointer.Token]]

  /// Reads or skips the next value, to which the numbered pointers lead.
  typealias Found = (_ json: inout JSONScanner, _ pointers: [Int]) -> Void

  /// The pointers are numbered by their order in the list.
  init(_ pointers: [JSONPointer]) {
    self.pointers = pointers.map(\.tokens)
  }

  /// Walks over the next value.
  ///
  /// A pointer that leads to an object or array is ignored if a longer pointer leads through it: only the longer one can
  /// lead to text.
  ///
  /// - Parameters:
  ///   - steps: the number of values that may still be visited; further ones are skipped.
  ///   - found: called for each value found.
  func go(over json: inout JSONScanner, steps: inout Int, _ found: Found) {
    walk(&json, Array(pointers.indices), depth: 0, &steps, found)
  }

  /// Walks over the next value, to which the first `depth` tokens of some pointers lead.
  private func walk(
    _ json: inout JSONScanner, _ active: [Int], depth: Int, _ steps: inout Int, _ found: Found
  ) {
    steps -= 1
    let first = json.peek()
    let onward = active.filter { pointers[$0].count > depth }
    guard !onward.isEmpty, first == "{" || first == "[" else {
      let here = active.filter { pointers[$0].count == depth }
      return here.isEmpty ? json.skip() : found(&json, here)
    }
    func visit(_ leads: (JSONPointer.Token) -> Bool) {
      let next = onward.filter { leads(pointers[$0][depth]) }
      if steps > 0, !next.isEmpty {
        walk(&json, next, depth: depth + 1, &steps, found)
      } else {
        json.skip()
      }
    }
    if first == "{" {
      guard json.enter("{") else { return }
      while let name = json.nextMember() { visit { $0.leads(toMember: name) } }
    } else {
      guard json.enter("[") else { return }
      var index = 0
      while json.nextValue() {
        visit { $0.leads(toElement: index) }
        index += 1
      }
    }
  }
}

extension JSONPointer.Token {
  fileprivate func leads(toMember name: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .every: true
    case .member(let text, _): text.utf8.count == name.count && text.utf8.elementsEqual(name)
    }
  }

  fileprivate func leads(toElement index: Int) -> Bool {
    switch self {
    case .every: true
    case .member(_, let wanted): wanted == index
    }
  }
}
