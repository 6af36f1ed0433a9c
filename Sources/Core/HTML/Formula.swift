// Formulas of MathML as text: their TeX if they have it.

extension HTMLTree {
  /// The formula of a `math` element on one line.
  func formula(of node: Int) -> String {
    for index in node..<Int(nodes[node].end) where nodes[index].element == .annotation {
      guard value("encoding", of: index)?.lowercased().contains("tex") ?? false else { continue }
      let source = children(of: index).map(text).joined()
      if !source.isEmpty { return withoutDisplayStyle(cleanText(source, limit: .max)) }
    }
    if let source = value("alttext", of: node), !source.isEmpty {
      return withoutDisplayStyle(cleanText(source, limit: .max))
    }
    return cleanText(parts(of: node).joined(), limit: .max)
  }

  /// The TeX in a `script`, which MathJax shows, and whether it stands alone; nil for another script.
  func scriptFormula(of node: Int) -> (text: String, isDisplayed: Bool)? {
    guard let type = value("type", of: node), type.hasPrefix("math/tex") else { return nil }
    return (children(of: node).map(text).joined(), type.contains("display"))
  }

  private func parts(of node: Int) -> [String] {
    children(of: node).filter { nodes[$0].isElement || !isBlank($0) }.map(linear)
  }

  /// A part of a formula, as in `(a + b)/2` and `x_i^2`.
  private func linear(_ node: Int) -> String {
    guard nodes[node].isElement else { return cleanText(text(of: node), limit: .max) }
    let parts = parts(of: node).filter { !$0.isEmpty }
    switch (name(of: node), parts.count) {
    case ("mfrac", 2): return grouped(parts[0]) + "/" + grouped(parts[1])
    case ("msup", 2), ("mover", 2): return parts[0] + "^" + grouped(parts[1])
    case ("msub", 2), ("munder", 2): return parts[0] + "_" + grouped(parts[1])
    case ("msubsup", 3), ("munderover", 3):
      return parts[0] + "_" + grouped(parts[1]) + "^" + grouped(parts[2])
    case ("msqrt", 1...): return "√" + grouped(parts.joined())
    case ("mroot", 2): return grouped(parts[0]) + "^(1/\(parts[1]))"
    case ("mtable", _): return "[" + parts.joined(separator: "; ") + "]"
    case ("mtr", _): return parts.joined(separator: ", ")
    case ("semantics", 1...): return parts[0]
    default: return parts.joined()
    }
  }

  private func grouped(_ part: String) -> String {
    part.allSatisfy { $0.isLetter || $0.isNumber } || part.count == 1 ? part : "(\(part))"
  }
}

/// A formula without the size in which Wikipedia puts it.
func withoutDisplayStyle(_ formula: String) -> String {
  for start in ["{\\displaystyle ", "{\\textstyle "] where formula.hasPrefix(start) && formula.hasSuffix("}")
  {
    return trimmedOfBlanks(formula.dropFirst(start.count).dropLast())
  }
  return formula
}
