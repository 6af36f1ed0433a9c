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
    var reader = MappedReader(mapping, MappedLinks(base: documentBase(address), documentSize: source.count))
    var steps = Int.max
    PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in reader.parseItems(&json) }
    if json.isStopped { return .failure(.stopped) }
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
  case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
  case UInt8(ascii: "n") where isNull(source): return nil
  case UInt8(ascii: "<"):
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
      case UInt8(ascii: "{"), UInt8(ascii: "["):
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
  private var links: MappedLinks

  init(_ mapping: JSONMapping, _ links: MappedLinks) {
    self.links = links
    lookups = MappedLookups(mapping)
    identifying = JSONMapping.Part.identifying.flatMap { mapping.parts[$0] ?? [] }.flatMap(\.pointers)
    walk = PointerWalk(lookups.pointers)
  }

  /// Reads the value at the items' place.
  mutating func parseItems(_ json: inout JSONScanner) {
    switch json.peek() {
    case UInt8(ascii: "["):
      placeExists = true
      guard json.enter("[") else { return }
      while json.nextValue() { parseItem(&json) }
    case UInt8(ascii: "{"):
      placeExists = true
      parseItem(&json)
    case UInt8(ascii: "n"):
      placeExists = true
      json.skip()
    default:
      json.skip()
    }
  }

  private mutating func parseItem(_ json: inout JSONScanner) {
    guard json.peek() != UInt8(ascii: "n"), found < ParsedFeed.maximumItems else {
      if json.peek() != UInt8(ascii: "n") { feed.leftOut += 1 }
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
    feed.partsLeftOut = links.resolver.partsLeftOut + (stepsLeft > 0 ? 0 : 1)
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
        if found == nil, json.peek() != UInt8(ascii: "\"") { found = json.shape() } else { json.skip() }
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

/// The links of a mapped document.
struct MappedLinks {
  /// The base of relative links; nil if the document's address is not known.
  private(set) var base: BaseAddress?
  var resolver: LinkResolver
  /// The link of the value that is being read, and its part of the bytes for resolved addresses.
  private var current: (link: String?, cost: Int)?

  init(base: BaseAddress?, documentSize: Int) {
    self.base = base
    resolver = LinkResolver(documentSize: documentSize)
  }

  /// Begins a value, which may be the link of several parts.
  mutating func begin() { current = nil }

  /// The link of the value, resolved once and counted each time.
  mutating func link(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    let before = resolver.bytesLeft
    if let current, current.cost == 0 || before > 0 {
      resolver.bytesLeft -= current.cost
      return current.link
    }
    let link = resolver.link(text, base: &base)
    current = (link, before - resolver.bytesLeft)
    return link
  }
}

/// A walk over a JSON value that stops at every value to which a pointer leads.
///
/// Values that no pointer leads through are skipped. So the walk goes no deeper than the longest pointer, and its time is
/// proportional to the document's size and the number of pointers.
struct PointerWalk {
  private let root: PointerState

  /// Reads or skips the next value, to which the numbered pointers lead.
  typealias Found = (_ json: inout JSONScanner, _ pointers: [Int]) -> Void

  /// The pointers are numbered by their order in the list.
  init(_ pointers: [JSONPointer]) {
    root = PointerState(pointers.map(\.tokens), Array(pointers.indices), depth: 0)
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
    walk(&json, root, &steps, found)
  }

  private func walk(
    _ json: inout JSONScanner, _ state: PointerState, _ steps: inout Int, _ found: Found
  ) {
    steps -= 1
    let first = json.peek()
    guard state.continues, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return state.here.isEmpty ? json.skip() : found(&json, state.here)
    }
    func visit(_ next: PointerState?) {
      if steps > 0, let next { walk(&json, next, &steps, found) } else { json.skip() }
    }
    if first == UInt8(ascii: "{") {
      guard json.enter("{") else { return }
      while let name = json.nextMember() { visit(state.next { $0.leads(toMember: name) }) }
    } else {
      guard json.enter("[") else { return }
      var index = 0
      while json.nextValue() {
        visit(state.next { $0.leads(toElement: index) })
        index += 1
      }
    }
  }
}

/// The pointers that lead to one place, and where they lead from there.
///
/// A walk makes each state once, when a document first leads to it, so a walk over many items reuses them.
private final class PointerState {
  /// The pointers that end here.
  let here: [Int]
  /// Whether any pointer continues from here.
  let continues: Bool

  private let pointers: [[JSONPointer.Token]]
  /// The pointers that continue from here.
  private let onward: [Int]
  private let depth: Int
  /// The distinct next tokens except `*`, with the states to which they lead.
  private var named: [(token: JSONPointer.Token, state: PointerState?)] = []
  /// The state to which `*` alone leads; nil if no pointer has one here.
  private lazy var everywhere = state { $0 == .every }

  init(_ pointers: [[JSONPointer.Token]], _ active: [Int], depth: Int) {
    (self.pointers, self.depth) = (pointers, depth)
    here = active.filter { pointers[$0].count == depth }
    onward = active.filter { pointers[$0].count > depth }
    continues = !onward.isEmpty
    for number in onward {
      let token = pointers[number][depth]
      if token != .every, !named.contains(where: { $0.token == token }) { named.append((token, nil)) }
    }
  }

  /// The state at a value of an object or array; nil if no pointer leads to it.
  ///
  /// - Parameter leads: whether a token leads to the value.
  func next(_ leads: (JSONPointer.Token) -> Bool) -> PointerState? {
    guard let index = named.firstIndex(where: { leads($0.token) }) else { return everywhere }
    if let known = named[index].state { return known }
    let token = named[index].token
    let made = state { $0 == .every || $0 == token }
    named[index].state = made
    return made
  }

  private func state(_ isTaken: (JSONPointer.Token) -> Bool) -> PointerState? {
    let taken = onward.filter { isTaken(pointers[$0][depth]) }
    return taken.isEmpty ? nil : PointerState(pointers, taken, depth: depth + 1)
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
