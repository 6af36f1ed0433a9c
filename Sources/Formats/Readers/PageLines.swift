// The text of a page in lines, as a reader without style sheets would see it.

import Core

/// Collects the lines of elements: blocks and line breaks separate lines, and blanks are folded.
struct PageLines {
  /// The lines so far, as the content of an item.
  private(set) var lines = PageContent()
  private let tree: HTMLTree
  private var line: [UInt8] = []
  private var owesBlank = false

  init(_ tree: HTMLTree) {
    self.tree = tree
  }

  /// Adds bytes of the page that are beyond the tree.
  mutating func add(unread bytes: Slice<UnsafeBufferPointer<UInt8>>) { lines.add(unread: bytes) }

  /// Adds the text of an element, without scripts, styles and the like, and without navigation if asked.
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
      let item = tree.nodes[number]
      guard item.isElement else {
        addText(item.content, keepsLines: blocks.contains(where: \.isPreformatted))
        number += 1
        continue
      }
      let traits = ElementTraits.of(item.name)
      if number != node, !traits.isDisjoint(with: skipped) {
        number = Int(item.end)
        continue
      }
      if traits.contains(.block) || traits.contains(.preformatted) {
        endLine()
        blocks.append((Int(item.end), traits.contains(.preformatted)))
      } else if traits.contains(.lineBreak) {
        endLine()
      } else if !traits.isDisjoint(with: [.cell, .isVoid]) {
        owesBlank = true
      }
      number += 1
    }
    endLine()
  }

  private mutating func addText(_ range: Range<Int>, keepsLines: Bool) {
    let text = withoutReferences(UnsafeBufferPointer(rebasing: tree.source[range]), limit: .max)
    for byte in text {
      if byte == UInt8(ascii: "\n"), keepsLines {
        endLine()
      } else if byte == 0x20 || (0x09...0x0D).contains(byte) {
        owesBlank = true
      } else {
        if owesBlank, !line.isEmpty { line.append(0x20) }
        owesBlank = false
        line.append(byte)
      }
    }
  }

  private mutating func endLine() {
    owesBlank = false
    guard !line.isEmpty else { return }
    lines.add(line: line)
    line.removeAll(keepingCapacity: true)
  }
}
