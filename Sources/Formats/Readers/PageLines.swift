// The text of a page in lines, as a reader without style sheets would see it.

import Core

/// Collects the lines of elements: blocks and line breaks separate lines.
///
/// `PageContent` folds the blanks in them.
struct PageLines {
  /// The lines so far, as the content of an item.
  private(set) var lines: PageContent
  private let tree: HTMLTree
  private var line: [UInt8] = []
  /// The open superscript or subscript: its node, and the length of the line before it.
  private var script: (node: Int, start: Int)?

  /// The elements that are left out.
  private let ignored: Set<Int32>

  init(_ tree: HTMLTree, ignoring elements: [Int32] = [], lines patterns: [String] = []) {
    (self.tree, ignored, lines) = (tree, Set(elements), PageContent(ignoring: patterns))
  }

  /// Adds the text of an element, without scripts, styles and what attributes hide, and without navigation if asked.
  mutating func add(_ node: Int, withoutNavigation: Bool, shouldStop: ShouldStop) {
    let skipped: ElementTraits = withoutNavigation ? [.hidden, .navigation] : .hidden
    var blocks: [(end: Int, isPreformatted: Bool)] = []
    var number = node
    let end = Int(tree.nodes[node].end)
    while number < end {
      if number & 0xFFF == 0, shouldStop() { return }
      while let last = blocks.last, last.end <= number {
        blocks.removeLast()
        endLine()
      }
      if let script, tree.nodes[script.node].end <= number { endScript() }
      let item = tree.nodes[number]
      guard item.isElement else {
        addText(item.range, keepsLines: blocks.last?.isPreformatted ?? false, shouldStop)
        number += 1
        continue
      }
      let traits = item.element.traits
      let isIgnored = ignored.contains(Int32(number))
      // A selector may name what the page hides. What is hidden from screen readers only, such as a price with small cents, is
      // there for other readers.
      if isIgnored || number != node && (!traits.isDisjoint(with: skipped) || tree.isHidden(number)) {
        if isIgnored, traits.contains(.block) { endLine() }
        number = Int(item.end)
        continue
      }
      if traits.contains(.block) || traits.contains(.preformatted) {
        endLine()
        let isPreformatted = traits.contains(.preformatted) || blocks.last?.isPreformatted ?? false
        blocks.append((Int(item.end), isPreformatted))
      } else if traits.contains(.lineBreak) {
        endLine()
      } else if item.element == .sup || item.element == .sub {
        if script == nil { script = (number, line.count) }
      } else if !traits.isDisjoint(with: [.cell, .isVoid]), item.element != .wbr {
        line.append(0x20)
      }
      number += 1
    }
    endLine()
  }

  /// Adds a text piece by piece, because a page may be one text of many megabytes.
  private mutating func addText(_ range: Range<Int>, keepsLines: Bool, _ shouldStop: ShouldStop) {
    var rest = tree.source.slice(range)
    while !rest.isEmpty {
      if rest.count > stopCheckDistance, shouldStop() { return }
      var piece = rest.prefix(stopCheckDistance)
      // A reference is in one piece.
      if piece.count < rest.count, let mark = piece.suffix(40).lastIndex(of: "&") {
        piece = piece[..<mark]
      }
      for byte in withoutReferences(UnsafeBufferPointer(rebasing: piece), .text) {
        if byte == "\n", keepsLines { endLine() } else { line.append(byte) }
      }
      rest = rest.slice(piece.endIndex...)
      if line.count > stopCheckDistance { cutLine() }
    }
  }

  /// Ends a very long line, between two words if it has any.
  private mutating func cutLine() {
    let end =
      line.suffix(1024).lastIndex { $0 <= 0x20 } ?? line.lastIndex { $0 & 0xC0 != 0x80 } ?? line.endIndex
    let rest = line[end...]
    line.removeSubrange(end...)
    endLine()
    line += rest
  }

  /// Writes a superscript or subscript as such: 10² is not 102.
  private mutating func endScript() {
    guard let (node, start) = script else { return }
    script = nil
    let text = String(decoding: line[start...], as: UTF8.self)
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    let before = String(decoding: line[..<start].suffix(4), as: UTF8.self)
    line.removeSubrange(start...)
    line += scriptText(text, isRaised: tree.nodes[node].element == .sup, after: before).utf8
  }

  private mutating func endLine() {
    endScript()
    if !line.isEmpty { lines.add(line: line) }
    line.removeAll(keepingCapacity: true)
  }
}

/// The matching elements of each part's selectors, in document order.
struct PagePlaces {
  /// The sources that have any elements; those of one part are in their order.
  private var sources: [Source] = []
  private let configured: [JSONMapping.Part]

  private struct Source {
    let part: JSONMapping.Part
    /// Nil is the item itself.
    let elements: [Int32]?
    let attribute: NameHash?
  }

  /// The selectors of parts that the configuration does not name; the first one with a value counts.
  private static let defaults: [(part: JSONMapping.Part, values: [String])] = [
    (.title, ["h1, h2, h3, h4, h5, h6", "a[href]"]), (.link, ["a[href]"]), (.published, ["time"]),
  ]

  /// The maximum number of matches in an item to try for a value.
  private static let mostTried = 8

  /// - Parameter find: the elements that selectors match.
  init(_ mapping: HTMLMapping, _ find: (SelectorList) -> [Int32]) {
    configured = Array(mapping.parts.keys)
    for (part, value) in mapping.parts {
      add(
        Source(
          part: part, elements: value.selector.map(find),
          attribute: value.attribute.map { nameHash($0.utf8) }))
    }
    for (part, values) in Self.defaults where mapping.parts[part] == nil {
      for selectors in values.compactMap({ try? SelectorList(parsing: $0) }) {
        add(Source(part: part, elements: find(selectors), attribute: nil))
      }
    }
  }

  private mutating func add(_ source: Source) {
    if source.elements?.isEmpty != true { sources.append(source) }
  }

  /// Whether the configuration names a part.
  func isConfigured(_ part: JSONMapping.Part) -> Bool { configured.contains(part) }

  func attribute(_ part: JSONMapping.Part) -> NameHash? { sources.first { $0.part == part }?.attribute }

  /// The elements of a part in an item, which may be the item itself.
  func all(_ part: JSONMapping.Part, in item: Int, _ tree: HTMLTree) -> ArraySlice<Int32> {
    sources.first { $0.part == part }.map { elements(of: $0, in: item, tree) } ?? []
  }

  /// The first value of a part in an item.
  func first<Value>(
    _ part: JSONMapping.Part, in item: Int, _ tree: HTMLTree,
    _ read: (_ node: Int, _ attribute: NameHash?) -> Value?
  ) -> Value? {
    for source in sources where source.part == part {
      for node in elements(of: source, in: item, tree).prefix(Self.mostTried) {
        if let value = read(Int(node), source.attribute) { return value }
      }
    }
    return nil
  }

  private func elements(of source: Source, in item: Int, _ tree: HTMLTree) -> ArraySlice<Int32> {
    guard let elements = source.elements else { return [Int32(item)] }
    let end = tree.nodes[item].end
    return elements[
      elements.sortedIndex { $0 >= Int32(item) }..<elements.sortedIndex { $0 >= end }]
  }
}
