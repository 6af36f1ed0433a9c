// One item of mapped JSON: values at pointers become parts, pieces of templates, or values for conditions.

import Core

/// The pointers to look up in an item, with the use of their values.
struct MappedLookups {
  /// The use of a pointer's values.
  struct Target {
    let use: Use
    /// Values of higher ranks replace others.
    let rank: Int
  }

  enum Use {
    case part(JSONMapping.Part)
    /// A placeholder of a template, by their indices.
    case piece(template: Int, index: Int)
    /// A condition, by its index.
    case condition(Int)
  }

  private(set) var pointers: [JSONPointer] = []
  /// The purpose of each pointer.
  private(set) var targets: [Target] = []
  private(set) var templates: [(part: JSONMapping.Part, template: JSONTemplate, rank: Int)] = []
  let conditions: [JSONCondition]

  init(_ mapping: JSONMapping) {
    conditions = mapping.only
    for part in JSONMapping.Part.allCases {
      for (number, source) in (mapping.parts[part] ?? []).enumerated() {
        let rank = Int.max - number
        switch source {
        case .pointer(let pointer): add(pointer, .part(part), rank)
        case .template(let template):
          for (index, pointer) in template.pointers.enumerated() {
            add(pointer, .piece(template: templates.count, index: index), rank)
          }
          templates.append((part, template, rank))
        }
      }
    }
    for (number, condition) in conditions.enumerated() {
      add(condition.pointer, .condition(number), 0)
    }
  }

  private mutating func add(_ pointer: JSONPointer, _ use: Use, _ rank: Int) {
    pointers.append(pointer)
    targets.append(Target(use: use, rank: rank))
  }
}

struct MappedItem {
  private var id = ItemDraft.Ranked<String>()
  private var updated = ItemDraft.Ranked<Instant>()
  private var draft = ItemDraft()
  private var assetRank = Int.min
  /// The values of each template's placeholders.
  private var pieces: [[String?]]
  /// The values for each condition.
  private var examined: [[String]]

  /// The maximum number of values for a condition.
  private static let mostExamined = 100

  init(_ lookups: MappedLookups) {
    pieces = lookups.templates.map { Array(repeating: nil, count: $0.template.pointers.count) }
    examined = Array(repeating: [], count: lookups.conditions.count)
  }

  /// Takes the next value: a number or a text that is not empty, and for conditions anything.
  mutating func accept(
    _ json: inout JSONScanner, _ targets: some Sequence<MappedLookups.Target>, _ links: inout LinkResolver
  ) {
    let first = json.peek()
    let isText = first == "\""
    guard let value = json.scalar().map(trimmed) else {
      for target in targets { examine("{}", target) }
      return
    }
    let isPart = !value.isEmpty && (isText || first == "-" || first.isASCIIDigit)
    for target in targets {
      switch target.use {
      case .part(let part):
        if isPart { accept(value, isNumber: !isText, as: part, rank: target.rank, &links) }
      case .piece(let template, let index):
        if isPart, pieces[template][index] == nil { pieces[template][index] = nonEmpty(value) }
      case .condition: examine(String(decoding: value, as: UTF8.self), target)
      }
    }
  }

  private mutating func examine(_ value: String, _ target: MappedLookups.Target) {
    guard case .condition(let number) = target.use, examined[number].count < Self.mostExamined else { return }
    examined[number].append(value)
  }

  /// Fills in the templates, after the last value.
  mutating func compose(_ lookups: MappedLookups, _ links: inout LinkResolver) {
    for (values, filled) in zip(pieces, lookups.templates) {
      let isAddress = filled.part == .link || filled.part == .assets
      guard var text = filled.template.text(with: values, isAddress: isAddress) else { continue }
      text.withUTF8 { bytes in
        let text = trimmed(bytes)
        if !text.isEmpty { accept(text, isNumber: false, as: filled.part, rank: filled.rank, &links) }
      }
    }
  }

  func meets(_ conditions: [JSONCondition]) -> Bool {
    zip(conditions, examined).allSatisfy { $0.allows($1) }
  }

  /// The finished item; nil if it has no id, title, link or summary.
  mutating func item(_ links: inout LinkResolver) -> ParsedItem? {
    draft.item.id = id.value
    draft.item.updated = updated.value
    return draft.identifiedItem(&links)
  }

  private mutating func accept(
    _ text: UnsafeBufferPointer<UInt8>, isNumber: Bool, as part: JSONMapping.Part, rank: Int,
    _ links: inout LinkResolver
  ) {
    switch part {
    case .id: id.accept(rank: rank) { nonEmpty(text) }
    case .title: draft.title.accept(rank: rank) { plainTitle(text, .title) }
    case .link: draft.link.accept(rank: rank) { links.link(text).flatMap { isWebAddress($0) ? $0 : nil } }
    case .published: draft.published.accept(rank: rank) { mappedDate(text, isNumber: isNumber) }
    case .updated: updated.accept(rank: rank) { mappedDate(text, isNumber: isNumber) }
    case .summary: draft.summary.accept(rank: rank) { nonEmpty(text).map { ItemMarkup(text: $0) } }
    case .author:
      if draft.authors.wants(rank) { draft.authors.add(plainTitle(text, .title), rank: rank) }
    case .assets: parseAsset(text, rank: rank, &links)
    }
  }

  private mutating func parseAsset(
    _ text: UnsafeBufferPointer<UInt8>, rank: Int, _ links: inout LinkResolver
  ) {
    guard wantsAsset(rank), let url = links.link(text) else { return }
    var rank = rank
    if !isWebAddress(url) {
      // A document without an address, such as a file, may name files by relative paths. Their downloads fail with a
      // message. They count only if no pointer finds a web address.
      guard links.base == nil, URIReference(url).isRelativeOrFile else { return }
      rank -= .max
    }
    guard wantsAsset(rank) else { return }
    if rank > assetRank { draft.item.enclosures = [] }
    assetRank = rank
    draft.add(Enclosure(url: url))
  }

  private func wantsAsset(_ rank: Int) -> Bool {
    rank > assetRank || rank == assetRank && draft.item.enclosures.count < ItemDraft.maximumCount
  }
}

/// The moment of a date in JSON: a time since 1970 in seconds or finer units, or a date as in feeds.
func mappedDate(_ text: UnsafeBufferPointer<UInt8>, isNumber: Bool) -> Instant? {
  isNumber ? unixTime(text) : feedDate(text)
}
