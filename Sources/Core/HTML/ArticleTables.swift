// The tables of an article: their cells by row, each read as blocks of its own.

extension ArticleReader {
  mutating func addTable(_ node: Int) {
    endBlock(apart: true)
    let outer = style
    style = .paragraph
    var rows: [[Int]] = []
    addAround(node, &rows)
    endBlock()
    if outline.outerTables.contains(node) || ["presentation", "none"].contains(tree.value("role", of: node)) {
      for cell in rows.joined() { addBlock(cell) }
    } else {
      var table = TextTable()
      for row in rows {
        table.beginRow()
        let contents = row.map { blocks(of: $0) }
        let hasCode = contents.contains { Self.code($0) != nil && !Self.isLineNumbers($0) }
        for (cell, content) in zip(row, contents) {
          table.add(
            hasCode && Self.isLineNumbers(content) ? [] : content,
            columns: number("colspan", of: cell) ?? 1,
            rows: number("rowspan", of: cell) ?? 1,
            isHead: tree.nodes[cell].element == .th)
        }
      }
      if !table.isEmpty { addBlock(.table(table), length: 0) }
    }
    endBlock(apart: true)
    style = outer
  }

  /// Adds what is in a table outside of its cells, which browsers show before it, and finds the cells of its rows.
  private mutating func addAround(_ node: Int, _ rows: inout [[Int]]) {
    if tree.nodes[node].element == .tr { rows.append([]) }
    for child in tree.children(of: node) {
      switch tree.nodes[child].element {
      case .tbody, .thead, .tfoot, .tr: if !tree.isHidden(child) { addAround(child, &rows) }
      case .td, .th:
        if rows.isEmpty { rows.append([]) }
        rows[rows.count - 1].append(child)
      default: add(child)
      }
    }
  }

  /// The content of a cell.
  private mutating func blocks(of cell: Int) -> [TextBlock] {
    guard !tree.isHidden(cell) else { return [] }
    let outer = (blocks, containers, isApart)
    blocks = []
    containers = []
    isApart = false
    addBlock(cell)
    let result = blocks
    (blocks, containers, isApart) = outer
    return result
  }

  /// The code of a cell that has nothing else.
  private static func code(_ blocks: [TextBlock]) -> String? {
    if blocks.count == 1, case .code(let text) = blocks[0].content { return text }
    return nil
  }

  /// Whether a cell has the numbers of the lines of code beside it: each the one before and one more.
  private static func isLineNumbers(_ blocks: [TextBlock]) -> Bool {
    let words = code(blocks)?.split { $0 == " " || $0 == "\n" } ?? []
    let numbers = words.compactMap { Int($0) }
    return !numbers.isEmpty && numbers.count == words.count
      && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 }
  }
}
