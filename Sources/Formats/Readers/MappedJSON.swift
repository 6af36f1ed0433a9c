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
  if let other = otherThanJSON(source) { return .failure(.unmapped(other)) }
  let (document, end): (JSONValue, Int)
  do throws(JSONFailure) {
    (document, end) = try readJSON(source, shouldStop: shouldStop)
  } catch {
    return .failure(error == .stopped ? .stopped : .unmapped("JSON that is broken or incomplete"))
  }
  switch source[end...].first(where: { $0 > 0x20 }) {
  case nil: break
  case "{", "[":
    return .failure(.unmapped("not one JSON document but several, one after the other (NDJSON)"))
  default: return .failure(.unmapped("JSON with something else after it"))
  }
  var best: MappedReader?
  for pointer in mapping.items {
    var reader = MappedReader(mapping, LinkResolver(at: address, documentSize: source.count))
    for place in document.values(at: pointer) {
      if shouldStop() { return .failure(.stopped) }
      reader.read(place)
    }
    if !reader.feed.items.isEmpty { return .success(reader.feed) }
    if reader.placeExists, best == nil || best?.found == 0 { best = reader }
  }
  guard let best else {
    if mapping.allowsEmpty { return .success(ParsedFeed(format: .mapped)) }
    return .failure(.unmapped(missing(mapping.items, in: document)))
  }
  guard best.found == 0 else { return .failure(.unmapped(best.misfit)) }
  return .success(best.feed)
}

/// A description of a document that does not begin like a JSON object, an array or null; nil for these.
private func otherThanJSON(_ source: UnsafeBufferPointer<UInt8>) -> String? {
  switch source.first(where: { $0 > 0x20 }) {
  case "{", "[", "n": return nil
  case "<":
    switch rootOfXML(source) {
    case .feed: return "not JSON: RSS or Atom, which kind: feed reads"
    case .html: return "not JSON: an HTML page"
    case .other(let found): return "not JSON: \(found)"
    }
  default: return "not JSON: text that begins with neither { nor ["
  }
}

/// The reason why there are no items: the last existing value on the way to them, and its kind.
private func missing(_ pointers: [JSONPointer], in document: JSONValue) -> String {
  let tried = pointers.map { $0.text.isEmpty ? "the root" : $0.text }.joined(separator: " or ")
  let tokens = pointers.first?.tokens ?? []
  let steps = pointers.first?.text.split(separator: "/", omittingEmptySubsequences: false) ?? []
  let found = (0...tokens.count).reversed().lazy.compactMap { count -> String? in
    let place = count == 0 ? "the document" : steps.prefix(count + 1).joined(separator: "/")
    return document.values(at: tokens.prefix(count)).first.map { "; \(place) is \($0.shape)" }
  }.first
  return "json.items finds no items at \(tried)" + (found ?? "")
}

/// The items at the places of one pointer.
private struct MappedReader {
  private(set) var feed = ParsedFeed(format: .mapped)
  /// Whether the pointer finds an object, an array or null.
  private(set) var placeExists = false
  /// The number of values at the items' place that meet the conditions, usable or not, up to `maximumItems`.
  private(set) var found = 0
  /// The first of them that is not an item.
  private var first: JSONValue?
  private let mapping: JSONMapping
  private var links: LinkResolver

  init(_ mapping: JSONMapping, _ links: LinkResolver) {
    (self.mapping, self.links) = (mapping, links)
  }

  /// Reads the value at the items' place.
  mutating func read(_ place: JSONValue) {
    let values: [JSONValue]
    switch place {
    case .array(let elements): values = elements
    case .object: values = [place]
    case .null: values = []
    default: return
    }
    placeExists = true
    for value in values {
      if case .null = value { continue }
      guard found < ParsedFeed.maximumItems else {
        feed.leftOut += 1
        continue
      }
      guard mapping.only.allSatisfy({ $0.allows(value.values(at: $0.pointer).map(\.examined)) }) else {
        continue
      }
      found += 1
      let item = item(value)
      if item == nil, first == nil { first = value }
      feed.accept(item)
    }
    feed.partsLeftOut = links.partsLeftOut
  }

  /// The finished item; nil if it has no id, title, link or summary.
  private mutating func item(_ json: JSONValue) -> ParsedItem? {
    let mapping = mapping
    var draft = ItemDraft()
    draft.item.id = mapping.values(.id, in: json, \.trimmedText).first
    draft.title.accept(mapping.values(.title, in: json) { $0.title(.title) }.first, rank: 1)
    draft.link.accept(mapping.values(.link, in: json) { webAddress($0) }.first, rank: 1)
    draft.published.accept(mapping.values(.published, in: json, \.date).first, rank: 1)
    draft.item.updated = mapping.values(.updated, in: json, \.date).first
    let summary = mapping.values(.summary, in: json, \.trimmedText).first
    draft.summary.accept(summary.map { ItemMarkup(text: $0) }, rank: 1)
    for author in mapping.values(.author, in: json, most: 20, { $0.title(.title) }) {
      draft.authors.add(author, rank: 1)
    }
    for file in files(json) { draft.add(Enclosure(url: file)) }
    return draft.identifiedItem(&links)
  }

  private mutating func files(_ json: JSONValue) -> [String] {
    let mapping = mapping
    let most = ItemDraft.maximumCount
    let files = mapping.values(.assets, in: json, most: most) { webAddress($0) }
    guard files.isEmpty, links.base == nil else { return files }
    // A document without an address, such as a file, may name files by relative paths. Their downloads fail with a message.
    return mapping.values(.assets, in: json, most: most) { value in
      links.link(value).flatMap { URIReference($0).isRelativeOrFile ? $0 : nil }
    }
  }

  private mutating func webAddress(_ json: JSONValue) -> String? {
    links.link(json).flatMap { isWebAddress($0) ? $0 : nil }
  }

  /// The reason why none of the values is an item: the value in place of a text that would make the first one an item, or what
  /// that is.
  var misfit: String {
    let pointers = JSONMapping.Part.identifying.flatMap { mapping.parts[$0] ?? [] }.flatMap(\.pointers)
    let wrong = pointers.lazy.filter { !$0.text.isEmpty }.compactMap { pointer -> String? in
      let value = first?.values(at: pointer).first { $0.string == nil }
      return value.map { "\(pointer.text) of the first is \($0.shape)" }
    }.first
    let names = pointers.map { $0.text.isEmpty ? "\"\"" : $0.text }.joined(separator: ", ")
    return "json finds \(names) in none of \(counted(found, "item")); "
      + (wrong ?? "the first is \(first?.shape ?? "nothing")")
  }
}

extension JSONMapping {
  /// The values that a function finds in a part's first source that has any.
  fileprivate func values<Value>(
    _ part: Part, in item: JSONValue, most: Int = 1, _ read: (JSONValue) -> Value?
  ) -> [Value] {
    for source in parts[part] ?? [] {
      var values: [Value] = []
      for found in source.values(in: item, isAddress: part == .link || part == .assets)
      where values.count < most {
        if let value = read(found) { values.append(value) }
      }
      if !values.isEmpty { return values }
    }
    return []
  }
}

extension JSONSource {
  fileprivate func values(in item: JSONValue, isAddress: Bool) -> [JSONValue] {
    switch self {
    case .pointer(let pointer): return item.values(at: pointer)
    case .template(let template):
      let values = template.pointers.map { item.values(at: $0).lazy.compactMap(\.trimmedText).first }
      return template.text(with: values, isAddress: isAddress).map { [.string($0)] } ?? []
    }
  }
}

extension JSONValue {
  /// The value as a condition writes it.
  fileprivate var examined: String {
    switch self {
    case .object, .array: "{}"
    case .string: trimmedText ?? ""
    default: trimmedText ?? text
    }
  }
}
