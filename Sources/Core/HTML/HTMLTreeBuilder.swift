// Bytes of HTML to a tree: tags, attributes, comments and implied ends, in one pass with bounded depth.

/// Builds the tree of any page, however broken.
///
/// Time and memory are proportional to the page: the depth, the number of nodes and the search for implied ends are bounded.
struct HTMLTreeBuilder {
  private(set) var tree: HTMLTree
  private(set) var isStopped = false

  private var position = 0
  private var open: [OpenElement]
  /// The number of open elements beyond the maximum depth.
  private var tooDeep = 0
  /// The number of open elements by some bits of their names, so that most names that are not open need no search.
  private var openCounts = Array(repeating: Int32(0), count: 1024)
  private var openForeign = 0
  private var seenOnce: Set<NameHash> = []
  private let shouldStop: ShouldStop
  private var nextStopCheck = stopCheckDistance

  private struct OpenElement {
    let node: Int
    let name: NameHash
    let traits: ElementTraits

    /// The index of the name in `openCounts`.
    var slot: Int { Self.slot(name) }

    static func slot(_ name: NameHash) -> Int { Int(name >> 2 & 1023) }
  }

  /// The maximum depth, as in browsers.
  private static let deepest = 512
  /// The maximum number of open elements to search for an implied end.
  private static let farthest = 32

  init(_ source: UnsafeBufferPointer<UInt8>, shouldStop: @escaping ShouldStop) {
    tree = HTMLTree(empty: source)
    open = [OpenElement(node: 0, name: 1, traits: [])]
    self.shouldStop = shouldStop
  }

  private var source: UnsafeBufferPointer<UInt8> { tree.source }

  mutating func build() {
    var textStart = 0
    while tree.nodes.count < HTMLTree.mostNodes, !isStopped,
      let (tag, kind) = nextHTMLMarkup(in: source, from: position)
    {
      if tag >= nextStopCheck {
        nextStopCheck = tag + stopCheckDistance
        isStopped = shouldStop()
      }
      addText(textStart..<tag)
      switch kind {
      case .comment: position = endOfHTMLComment(in: source, at: tag)
      case .end:
        position = tag + 2
        parseEndTag(at: tag)
      case .start:
        position = tag + 1
        parseStartTag(at: tag)
      }
      textStart = position
    }
    if tree.nodes.count < HTMLTree.mostNodes {
      addText(textStart..<source.count)
    } else {
      tree.readEnd = textStart
    }
    close(downTo: 0, at: source.count)
    tree.nodes[0].end = Int32(tree.nodes.count)
  }

  // MARK: Nodes

  private mutating func addText(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if range.count < 64, range.allSatisfy({ source[$0] <= 0x20 }) {
      // Blanks between the parts of a table or list mean nothing; elsewhere they separate words.
      guard let traits = open.last?.traits, traits.isDisjoint(with: [.table, .row, .rowGroup, .list, .head])
      else { return }
    } else if let traits = open.last?.traits, traits.contains(.head) {
      // Text ends a head that has no end tag.
      close(downTo: open.count - 1, at: range.lowerBound)
    }
    if !range.allSatisfy({ source[$0] <= 0x20 }) { openImplied(Self.textName, [], at: range.lowerBound) }
    appendText(range)
  }

  private mutating func appendText(_ range: Range<Int>) {
    tree.nodes.append(
      HTMLTree.Node(
        end: Int32(tree.nodes.count + 1), start: Int32(clamping: range.lowerBound),
        stop: Int32(clamping: range.upperBound)))
  }

  private mutating func addElement(
    _ name: NameHash, _ attributes: Range<Int>, contentAt start: Int
  ) -> Int {
    let number = tree.nodes.count
    tree.nodes.append(
      HTMLTree.Node(
        name: name, end: Int32(number + 1), start: Int32(clamping: start), stop: Int32(clamping: start),
        firstAttribute: Int32(attributes.lowerBound), attributeCount: Int32(attributes.count)))
    return number
  }

  /// Ends all open elements beyond a depth.
  private mutating func close(downTo depth: Int, at end: Int) {
    while open.count > max(depth, 1), let last = open.popLast() {
      openCounts[last.slot] -= 1
      if last.traits.contains(.foreign) { openForeign -= 1 }
      tree.nodes[last.node].end = Int32(tree.nodes.count)
      tree.nodes[last.node].stop = Int32(clamping: end)
    }
  }

  private func mayBeOpen(_ name: NameHash) -> Bool { openCounts[OpenElement.slot(name)] > 0 }

  /// Ends the nearest open element with one of these traits, unless one of the others is nearer.
  private mutating func end(_ traits: ElementTraits, within barriers: ElementTraits, at end: Int) {
    var depth = open.count - 1
    let last = max(depth - Self.farthest, 0)
    while depth > last {
      if !open[depth].traits.isDisjoint(with: traits) { return close(downTo: depth, at: end) }
      if !open[depth].traits.isDisjoint(with: barriers) { return }
      depth -= 1
    }
  }

  /// Ends the elements whose end a start tag implies.
  private mutating func endImplied(_ traits: ElementTraits, at tag: Int) {
    if let last = open.last, last.traits.contains(.head), traits.isDisjoint(with: .inHead) {
      close(downTo: open.count - 1, at: tag)
    }
    if traits.contains(.endsParagraph), mayBeOpen(Self.paragraphName) {
      end(.paragraph, within: [.cell, .table], at: tag)
    }
    if traits.contains(.listItem) { end(.listItem, within: [.list, .table, .cell], at: tag) }
    if traits.contains(.term) { end(.term, within: [.list, .table, .cell], at: tag) }
    if traits.contains(.cell) { end(.cell, within: [.table, .row], at: tag) }
    if traits.contains(.row) { end(.row, within: [.table, .rowGroup], at: tag) }
    if traits.contains(.rowGroup) { end(.rowGroup, within: .table, at: tag) }
    if traits.contains(.option) { end(.option, within: .select, at: tag) }
    if traits.contains(.link) { end(.link, within: [.table, .cell], at: tag) }
  }

  private static let paragraphName = nameHash("p".utf8)
  private static let textName: NameHash = 0

  /// Opens the elements that a browser adds around an element or text if their tags are missing: selectors copied from a
  /// browser name them.
  private mutating func openImplied(_ name: NameHash, _ traits: ElementTraits, at tag: Int) {
    if open.count == 1, name != Self.htmlName { openWithoutTag(Self.htmlName, at: tag) }
    if open.last?.name == Self.htmlName, traits.isDisjoint(with: [.once, .head, .inHead]) {
      openWithoutTag(Self.bodyName, at: tag)
    }
    if !traits.isDisjoint(with: [.row, .cell]), open.last?.traits.contains(.table) ?? false {
      openWithoutTag(Self.tableBodyName, at: tag)
    }
    if traits.contains(.cell), open.last?.traits.contains(.rowGroup) ?? false {
      openWithoutTag(Self.rowName, at: tag)
    }
  }

  private mutating func openWithoutTag(_ name: NameHash, at tag: Int) {
    let traits = ElementTraits.of(name)
    if traits.contains(.once), !seenOnce.insert(name).inserted { return }
    push(OpenElement(node: addElement(name, 0..<0, contentAt: tag), name: name, traits: traits))
  }

  private mutating func push(_ element: OpenElement) {
    open.append(element)
    openCounts[element.slot] += 1
    if element.traits.contains(.foreign) { openForeign += 1 }
  }

  private static let htmlName = nameHash("html".utf8)
  private static let bodyName = nameHash("body".utf8)
  private static let tableBodyName = nameHash("tbody".utf8)
  private static let rowName = nameHash("tr".utf8)

  // MARK: Tags

  private mutating func parseStartTag(at tag: Int) {
    let name = parseHTMLName(in: source, &position)
    let traits = ElementTraits.of(name)
    let first = tree.attributes.count
    guard let isEmptyTag = parseAttributes() else {
      // A tag without an end is not a tag.
      tree.attributes.removeLast(tree.attributes.count - first)
      return
    }
    endImplied(traits, at: tag)
    openImplied(name, traits, at: tag)
    if traits.contains(.once), !seenOnce.insert(name).inserted { return }
    let number = addElement(name, first..<tree.attributes.count, contentAt: position)
    if traits.contains(.isRaw) {
      let end = endOfRawHTML(in: source, from: position, name)
      tree.nodes[number].stop = Int32(clamping: end)
      if end > position { appendText(position..<end) }
      tree.nodes[number].end = Int32(tree.nodes.count)
      position = firstIndex(of: UInt8(ascii: ">"), in: source, from: end).map { $0 + 1 } ?? source.count
      return
    }
    if traits.contains(.isVoid) { return }
    if isEmptyTag, traits.contains(.foreign) || openForeign > 0 { return }
    guard open.count < Self.deepest else {
      tooDeep += 1
      return
    }
    push(OpenElement(node: number, name: name, traits: traits))
  }

  private mutating func parseEndTag(at tag: Int) {
    let name = parseHTMLName(in: source, &position)
    position = firstIndex(of: UInt8(ascii: ">"), in: source, from: position).map { $0 + 1 } ?? source.count
    guard tooDeep == 0 else {
      tooDeep -= 1
      return
    }
    // Content may follow the end tags of html and body.
    guard mayBeOpen(name), !ElementTraits.of(name).contains(.once),
      let depth = open.lastIndex(where: { $0.name == name }), depth > 0
    else { return }
    close(downTo: depth, at: tag)
  }

  /// Takes the attributes to the `>`, and returns whether a slash was before it; nil if the page ends first.
  private mutating func parseAttributes() -> Bool? {
    let first = tree.attributes.count
    let most = HTMLTree.mostAttributes
    while let (range, value) = parseHTMLAttribute(in: source, &position) {
      let name = nameHash(source[range])
      // The first of several attributes with one name counts.
      guard tree.attributes.count < min(first + most.ofElement, most.inAll),
        !tree.attributes[first...].contains(where: { $0.name == name })
      else { continue }
      tree.attributes.append(
        HTMLTree.Attribute(
          name: name, start: Int32(clamping: value.lowerBound),
          stop: Int32(clamping: value.upperBound)))
    }
    guard position < source.count else { return nil }
    position += 1
    return source[position - 2] == UInt8(ascii: "/")
  }
}
