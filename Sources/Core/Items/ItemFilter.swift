// The filter of a feed's items and of their files: conditions, and the decision by them.

/// The items or files to use: they meet a condition of `include`, unless it is empty, and no condition of `exclude`.
public struct ItemFilter: Equatable, Sendable {
  public var include: [ItemCondition] = []
  public var exclude: [ItemCondition] = []

  public init() {}
}

/// A condition on an item or a file; all its parts must be met.
public struct ItemCondition: Equatable, Sendable {
  /// Regular expressions for parts of an item; for each part, one expression must match.
  public var patterns: [Part: [String]] = [:]
  /// The playing time.
  public var duration = Bounds<Interval>()
  /// The size of the file, or of the item's largest file.
  public var size = Bounds<ByteCount>()

  public init() {}

  /// An expression for the title, the link or a category of an item, or for the address of a file.
  public init(any pattern: String) { patterns = [.any: [pattern]] }

  /// Whether it has a part.
  public var isEmpty: Bool { self == ItemCondition() || patterns.values.contains(where: \.isEmpty) }

  /// The values between two bounds.
  public struct Bounds<Value: Comparable & Sendable>: Equatable, Sendable {
    public var above: Value?
    public var below: Value?

    public init(above: Value? = nil, below: Value? = nil) { (self.above, self.below) = (above, below) }

    /// Whether a value is between the bounds; an unknown value is only if there are none.
    func contain(_ value: Value?) -> Bool {
      guard let value else { return self == Bounds() }
      return above.map { $0 < value } ?? true && below.map { value < $0 } ?? true
    }
  }

  /// A part of an item that expressions match, named like its key.
  public enum Part: String, Sendable, CaseIterable {
    case title
    /// The content without markup, or the summary if there is no content; of a watched page each changed line.
    case text
    case author
    /// The link of an item, or the address of a file.
    case link
    case category
    /// The title, the link, the categories and the changed lines of an item, or the address of a file.
    case any

    /// The parts that have a key.
    public static let written = allCases.filter { $0 != .any }

    /// The most bytes of each of its texts that expressions see.
    fileprivate var limit: Int { self == .text ? Int(DetailBounds.content.bytes) : 4 << 10 }
  }
}

/// A filter, compiled once per document.
public struct CompiledFilter {
  private let include: [CompiledCondition]
  private let exclude: [CompiledCondition]

  /// Compiles a filter whose expressions the configuration has already checked.
  ///
  /// After `shouldStop` returns true, no expression is tried any more.
  public init(_ filter: ItemFilter, shouldStop: @escaping ShouldStop = { false }) {
    include = filter.include.map { CompiledCondition($0, shouldStop) }
    exclude = filter.exclude.map { CompiledCondition($0, shouldStop) }
  }

  /// Whether an item is used, or a file of it.
  public func accepts(_ item: ParsedItem, file: Asset? = nil) -> Bool {
    (include.isEmpty || include.contains { $0.isMet(by: item, file) })
      && !exclude.contains { $0.isMet(by: item, file) }
  }
}

private struct CompiledCondition {
  let condition: ItemCondition
  let patterns: [(part: ItemCondition.Part, list: PatternList)]

  init(_ condition: ItemCondition, _ shouldStop: @escaping ShouldStop) {
    self.condition = condition
    patterns = condition.patterns.map { ($0, PatternList($1, limit: $0.limit, shouldStop: shouldStop)) }
  }

  func isMet(by item: ParsedItem, _ file: Asset?) -> Bool {
    condition.duration.contain(item.duration) && condition.size.contain(size(of: item, file))
      && patterns.allSatisfy { part, list in
        // Nobody who writes a word sees a soft hyphen in it.
        list.matches(anyOf: item.texts(of: part, file).map { cleanText($0, limit: .max) })
      }
  }

  private func size(of item: ParsedItem, _ file: Asset?) -> ByteCount? {
    let length = file.map(\.plausibleLength) ?? item.enclosures.compactMap(\.length).max()
    return length.map(ByteCount.init)
  }
}

/// Regular expressions of which one must match.
struct PatternList {
  private let searches: [PatternSearch]
  private let limit: Int
  private let shouldStop: ShouldStop

  /// Compiles expressions that the configuration has already checked; they see the first `limit` bytes of a text.
  init(_ patterns: [String], limit: Int = 4 << 10, shouldStop: @escaping ShouldStop = { false }) {
    (self.limit, self.shouldStop) = (limit, shouldStop)
    searches = patterns.compactMap { try? Pattern(parsing: $0) }.map(PatternSearch.init)
  }

  func matches(anyOf texts: [String]) -> Bool {
    guard !searches.isEmpty else { return false }
    let texts = texts.map { scalarPrefix(of: $0, limit: limit) }
    return searches.contains { search in texts.contains { !shouldStop() && search.matches(in: $0) } }
  }
}

extension ParsedItem {
  /// A stored item, as far as conditions see it.
  public init(_ record: ItemRecord, _ details: ItemDetails) {
    self.init()
    (title, link, author, duration) = (record.title, record.link, record.author, details.duration)
    (summary, content, categories) = (record.summary, details.content, details.categories)
    enclosures = details.enclosures
  }

  /// The texts of a part, without markup; an empty one if it is missing.
  fileprivate func texts(of part: ItemCondition.Part, _ file: Asset?) -> [String] {
    switch part {
    case .title: [title ?? ""]
    case .text: change?.lines ?? [plainText(fromHTML: content ?? summary ?? "", limit: part.limit)]
    case .author: [author ?? ""]
    case .link: [file?.url ?? link ?? ""]
    case .category: categories.isEmpty ? [""] : categories
    case .any:
      file.map { [$0.url] } ?? [title, link].compactMap(\.self) + categories + (change?.lines ?? [])
    }
  }
}
