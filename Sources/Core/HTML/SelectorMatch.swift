// The elements of a page that CSS selectors match, in one pass over the page for each list of selectors.

/// A list of selectors, prepared for matching.
///
/// Each compound is a bit. The bits of an element say up to which compound a chain of elements that ends there matches;
/// they follow from the bits of its parent and of its previous sibling, so only those of the elements around are kept, and
/// no element is looked at twice, whatever the selector.
public struct SelectorMatch {
  private var compounds: [CompoundSelector] = []
  /// The compounds that begin a selector, that end one, and that follow by each combinator.
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private var byAncestor: UInt64 = 0
  private var byParent: UInt64 = 0
  private var byNeighbour: UInt64 = 0
  private var bySibling: UInt64 = 0

  /// Prepares a list.
  public init(_ list: SelectorList) {
    for selector in list.selectors {
      for (number, step) in selector.steps.enumerated() {
        let bit: UInt64 = 1 << UInt64(compounds.count)
        compounds.append(step.compound)
        if number == selector.steps.count - 1 { last |= bit }
        guard number > 0 else {
          first |= bit
          continue
        }
        switch step.combinator {
        case .descendant: byAncestor |= bit
        case .child: byParent |= bit
        case .adjacent: byNeighbour |= bit
        case .sibling: bySibling |= bit
        }
      }
    }
  }

  /// An element around the one to look at, and what selectors ask about its children so far.
  private struct Around {
    /// The index after its last descendant.
    let end: Int
    /// Its bits, and with those of the elements around it.
    var own: UInt64 = 0
    var around: UInt64 = 0
    /// The number of its child elements, the bits of the last one, and of all.
    var children = 0
    var neighbour: UInt64 = 0
    var before: UInt64 = 0
  }

  /// An element to test: its number, its position among the elements of its parent, from 1, and where the parent ends.
  private struct Subject {
    let number: Int
    let position: Int
    let parentEnd: Int
  }

  /// The matching elements in document order.
  public func elements(of tree: HTMLTree, shouldStop: ShouldStop = { false }) -> [Int32] {
    var found: [Int32] = []
    var path = [Around(end: tree.nodes.count)]
    for number in 1..<tree.nodes.count where tree.nodes[number].isElement {
      if number & 0xFFF == 0, shouldStop() { return [] }
      while path[path.count - 1].end <= number { path.removeLast() }
      var parent = path[path.count - 1]
      var candidates = first
      candidates |= parent.around << 1 & byAncestor
      candidates |= parent.own << 1 & byParent
      candidates |= parent.neighbour << 1 & byNeighbour
      candidates |= parent.before << 1 & bySibling
      let subject = Subject(number: number, position: parent.children + 1, parentEnd: parent.end)
      var own: UInt64 = 0
      while candidates != 0 {
        let index = candidates.trailingZeroBitCount
        let bit = candidates & ~(candidates - 1)
        candidates ^= bit
        if matches(compounds[index], subject, tree) { own |= bit }
      }
      parent.children += 1
      parent.neighbour = own
      parent.before |= own
      path[path.count - 1] = parent
      let end = Int(tree.nodes[number].end)
      if end > number + 1 { path.append(Around(end: end, own: own, around: own | parent.around)) }
      if own & last != 0 { found.append(Int32(number)) }
    }
    return found
  }

  private func matches(_ compound: CompoundSelector, _ subject: Subject, _ tree: HTMLTree) -> Bool {
    if let name = compound.name, name != tree.nodes[subject.number].name { return false }
    return compound.conditions.allSatisfy { condition in
      switch condition {
      case .attribute(let attribute):
        tree.rawValue(attribute.name, of: subject.number).map { matches($0, attribute) } ?? false
      case .position(let a, let b): CompoundSelector.Condition.isPosition(subject.position, a: a, b: b)
      case .lastChild: isLast(subject, tree)
      case .not(let choices): !choices.contains { matches($0, subject, tree) }
      }
    }
  }

  /// Whether no element with the same parent follows.
  private func isLast(_ subject: Subject, _ tree: HTMLTree) -> Bool {
    var next = Int(tree.nodes[subject.number].end)
    while next < subject.parentEnd, !tree.nodes[next].isElement { next += 1 }
    return next >= subject.parentEnd
  }

  /// The maximum length of a value that is copied for a comparison, in bytes; longer ones are cut off.
  private static let longestCopy = 64 << 10

  private func matches(_ raw: UnsafeBufferPointer<UInt8>, _ condition: AttributeCondition) -> Bool {
    if condition.comparison == .exists { return true }
    guard condition.ignoresCase || raw.contains("&") else { return compare(raw, condition) }
    var value = withoutReferences(raw, .attribute, limit: Self.longestCopy)
    if condition.ignoresCase { value = value.map(asciiLowercased) }
    return compare(value, condition)
  }

  private func compare(_ value: some BidirectionalCollection<UInt8>, _ condition: AttributeCondition) -> Bool
  {
    let wanted = condition.value.utf8
    switch condition.comparison {
    case .exists: return true
    case .equals: return value.elementsEqual(wanted)
    case .begins: return !wanted.isEmpty && value.starts(with: wanted)
    case .ends: return !wanted.isEmpty && value.reversed().starts(with: wanted.reversed())
    case .contains: return !wanted.isEmpty && value.contains(wanted)
    case .includes: return hasWord(value, wanted)
    case .dashes:
      guard value.starts(with: wanted) else { return false }
      let rest = value.dropFirst(wanted.count)
      return rest.isEmpty || rest.first == "-"
    }
  }

  /// Whether one of the words of a value, divided by white space, is the wanted one.
  private func hasWord(_ value: some Collection<UInt8>, _ wanted: String.UTF8View) -> Bool {
    var rest = value[...]
    while let start = rest.firstIndex(where: { $0 > 0x20 }) {
      let word = rest[start...].prefix { $0 > 0x20 }
      if word.elementsEqual(wanted) { return true }
      rest = rest[word.endIndex...]
    }
    return false
  }
}
