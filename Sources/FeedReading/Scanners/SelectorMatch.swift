// The elements of a page that CSS selectors match, in one pass over the page for each list of selectors.

import Core

/// A list of selectors, prepared for matching.
///
/// Each compound is a bit. The bits of an element say up to which compound a chain of elements that ends there matches;
/// they follow from the bits of its parent and of its previous sibling. So no element is looked at twice, whatever the
/// selector.
struct SelectorMatch {
  private var compounds: [Compound] = []
  /// The compounds that begin a selector, that end one, and that follow by each combinator.
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private var byAncestor: UInt64 = 0
  private var byParent: UInt64 = 0
  private var byNeighbour: UInt64 = 0
  private var bySibling: UInt64 = 0

  /// The hash of the name, if a name is required, and the other conditions.
  private struct Compound {
    var name: UInt64?
    var conditions: [Condition]

    init(_ compound: CompoundSelector) {
      name = compound.name.map { nameHash($0.utf8) }
      conditions = compound.conditions.map(Condition.init)
    }
  }

  private indirect enum Condition {
    case attribute(UInt64, AttributeCondition.Comparison, value: [UInt8], ignoresCase: Bool)
    case position(a: Int, b: Int)
    case lastChild
    case not([Compound])

    init(_ condition: CompoundSelector.Condition) {
      switch condition {
      case .id(let id): self = .attribute(idName, .equals, value: Array(id.utf8), ignoresCase: false)
      case .className(let name):
        self = .attribute(className, .includes, value: Array(name.utf8), ignoresCase: false)
      case .attribute(let attribute):
        let value = Array(attribute.value.utf8)
        self = .attribute(
          nameHash(attribute.name.utf8), attribute.comparison,
          value: attribute.ignoresCase ? value.map(asciiLowercased) : value,
          ignoresCase: attribute.ignoresCase)
      case .position(let a, let b): self = .position(a: a, b: b)
      case .lastChild: self = .lastChild
      case .not(let choices): self = .not(choices.map(Compound.init))
      }
    }
  }

  init(_ list: SelectorList) {
    for selector in list.selectors {
      for (number, step) in selector.steps.enumerated() {
        let bit: UInt64 = 1 << UInt64(compounds.count)
        compounds.append(Compound(step.compound))
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

  /// The bits of one element: its own, with those of the elements around it, and with those of the siblings before it.
  private struct Bits {
    var own: UInt64 = 0
    var around: UInt64 = 0
    var before: UInt64 = 0
  }

  /// The matching elements in document order.
  func elements(of tree: HTMLTree, shouldStop: ShouldStop = { false }) -> [Int] {
    var found: [Int] = []
    var bits = Array(repeating: Bits(), count: tree.nodes.count)
    for (number, node) in tree.nodes.enumerated().dropFirst() where node.isElement {
      if number & 0xFFF == 0, shouldStop() { return [] }
      let parent = bits[Int(node.parent)]
      let neighbour = node.previous >= 0 ? bits[Int(node.previous)] : Bits()
      var candidates = first
      candidates |= parent.around << 1 & byAncestor
      candidates |= parent.own << 1 & byParent
      candidates |= neighbour.own << 1 & byNeighbour
      candidates |= neighbour.before << 1 & bySibling
      var own: UInt64 = 0
      while candidates != 0 {
        let index = candidates.trailingZeroBitCount
        candidates &= candidates - 1
        if matches(compounds[index], number, node, tree) { own |= 1 << UInt64(index) }
      }
      bits[number] = Bits(own: own, around: own | parent.around, before: own | neighbour.before)
      if own & last != 0 { found.append(number) }
    }
    return found
  }

  private func matches(_ compound: Compound, _ number: Int, _ node: HTMLTree.Node, _ tree: HTMLTree) -> Bool {
    if let name = compound.name, name != node.name { return false }
    return compound.conditions.allSatisfy { condition in
      switch condition {
      case .attribute(let name, let comparison, let value, let ignoresCase):
        matches(tree.rawValue(name, of: number), comparison, value, ignoresCase)
      case .position(let a, let b): CompoundSelector.Condition.isPlace(Int(node.place), a: a, b: b)
      case .lastChild: Int(tree.nodes[Int(node.parent)].lastElement) == number
      case .not(let choices): !choices.contains { matches($0, number, node, tree) }
      }
    }
  }

  private func matches(
    _ raw: UnsafeBufferPointer<UInt8>?, _ comparison: AttributeCondition.Comparison, _ wanted: [UInt8],
    _ ignoresCase: Bool
  ) -> Bool {
    guard let raw else { return false }
    if comparison == .exists { return true }
    guard ignoresCase || raw.contains(UInt8(ascii: "&")) else { return compare(raw, comparison, wanted) }
    var value = withoutReferences(raw, limit: raw.count * 3)
    if ignoresCase { value = value.map(asciiLowercased) }
    return compare(value, comparison, wanted)
  }

  private func compare(
    _ value: some BidirectionalCollection<UInt8>, _ comparison: AttributeCondition.Comparison,
    _ wanted: [UInt8]
  ) -> Bool {
    switch comparison {
    case .exists: return true
    case .equals: return value.elementsEqual(wanted)
    case .begins: return !wanted.isEmpty && value.starts(with: wanted)
    case .ends: return !wanted.isEmpty && value.reversed().starts(with: wanted.reversed())
    case .contains: return !wanted.isEmpty && contains(value, wanted)
    case .includes:
      return !wanted.isEmpty && value.split { $0 <= 0x20 }.contains { $0.elementsEqual(wanted) }
    case .dashes:
      guard value.starts(with: wanted) else { return false }
      let rest = value.dropFirst(wanted.count)
      return rest.isEmpty || rest.first == UInt8(ascii: "-")
    }
  }

  /// Whether the value contains the wanted bytes, in at most the product of both lengths; the user writes one of them.
  private func contains(_ value: some BidirectionalCollection<UInt8>, _ wanted: [UInt8]) -> Bool {
    var rest = value[...]
    while let start = rest.firstIndex(of: wanted[0]) {
      rest = rest[start...]
      if rest.starts(with: wanted) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

private let idName = nameHash("id".utf8)
private let className = nameHash("class".utf8)
