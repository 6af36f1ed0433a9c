// The places in an article that only the whole tree tells, found before it is read.

/// The tables and formulas of an article.
struct ArticleOutline {
  /// Tables with tables inside, which only place the parts of a page.
  private(set) var outerTables: Set<Int> = []
  private var formulas: [Int] = []

  init(_ tree: HTMLTree) {
    var last: Int?
    for (node, item) in tree.nodes.enumerated() {
      if item.element == .math { formulas.append(node) }
      guard item.element == .table else { continue }
      if let last, node < tree.nodes[last].end { outerTables.insert(last) }
      last = node
    }
  }

  /// Whether an element shows a formula again that is beside it as MathML, as KaTeX and MathJax do.
  func repeatsFormula(_ node: Int, _ tree: HTMLTree) -> Bool {
    guard !formulas.isEmpty, tree.value("aria-hidden", of: node) == "true" else { return false }
    let parent = Int(tree.nodes[node].parent)
    guard !tree.nodes[parent].element.traits.contains(.block) else { return false }
    let next = formulas.sortedIndex { $0 > parent }
    return next < formulas.count && formulas[next] < tree.nodes[parent].end
  }
}

/// The numbers of a list's items.
struct ListNumber: Sendable {
  private var next: Int
  private let step: Int

  init(_ tree: HTMLTree, _ list: Int) {
    step = tree.value("reversed", of: list) != nil ? -1 : 1
    let count =
      step > 0 ? 1 : tree.children(of: list).reduce(0) { $0 + (tree.nodes[$1].element == .li ? 1 : 0) }
    next = tree.value("start", of: list).flatMap { Int($0) } ?? count
  }

  /// The mark of the next item.
  ///
  /// - Parameter own: the number that the item declares.
  mutating func next(_ own: Int?) -> String {
    let number = own ?? next
    next = number &+ step
    return "\(number). "
  }
}
