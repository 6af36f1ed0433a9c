// The article of a page, found by where its prose is, as the "reader view" of a browser does.

/// An article in a tree.
public struct FoundArticle {
  /// The element around it.
  public let element: Int
  /// The elements in it that are not part of it: the title, share buttons, lists of related articles, comments and the like.
  public let leftOut: Set<Int32>
}

extension HTMLTree {
  /// The article of a page; nil if it has none, like a front page, a list of search results or a login form.
  ///
  /// - Parameter shouldStop: asked between the steps; nil is returned if it is true.
  public func article(shouldStop: ShouldStop = { false }) -> FoundArticle? {
    guard let body = first(.body) else { return nil }
    let all = ArticleSurvey(self, body: body)
    return shouldStop()
      ? nil : ArticleFinder(self, body, ArticleSurvey(self, body: body, knowing: all)).article
  }
}

private struct ArticleFinder {
  private let tree: HTMLTree
  private let survey: ArticleSurvey
  private let top: Int
  private var leftOut: Set<Int32>
  /// The amounts in the article.
  private var found = ArticleAmounts()

  /// An amount of prose that is certainly of an article, and the least of one with links around it.
  private static let muchProse: Int32 = 400
  private static let leastProse: Int32 = 140
  /// A page with this many teasers may be a list of them.
  private static let fewestTeasers: Int32 = 5
  /// The share of the prose that an element must have to be looked into alone, and of one that is marked as an article.
  private static let (mostShare, markedShare) = (0.9, 0.5)

  init(_ tree: HTMLTree, _ body: Int, _ survey: ArticleSurvey) {
    (self.tree, self.survey) = (tree, survey)
    (top, leftOut) = (Self.top(tree, body, survey), survey.leftOut)
    trim()
  }

  /// The article, unless what was found are teasers or the few words of a form or an error.
  var article: FoundArticle? {
    // A text that has nothing around it may be short.
    let isAlone = !tree.nodes.contains { $0.element == .a || $0.element == .script }
    let areTeasers = found[.teasers] >= Self.fewestTeasers && found[.teasers] * 2 >= found[.paragraphs]
    let title = tree.articleTitle
    guard found[.prose] >= (isAlone ? 1 : Self.leastProse), !areTeasers else { return nil }
    guard found[.prose] >= Self.muchProse || survey.amounts(in: top)[.fields] == 0 && !isError(title) else {
      return nil
    }
    let heading = tree.heading(of: title, in: top).map(Int32.init)
    return FoundArticle(element: top, leftOut: leftOut.union(heading.map { [$0] } ?? []))
  }

  /// Whether the title or the heading has the status of an error, such as 404.
  private func isError(_ title: String?) -> Bool {
    let heading = tree.first(.h1).map { tree.plainText(in: $0, limit: 200) }
    return [title, heading].compactMap { $0 }.contains { text in
      text.split(separator: " ").contains { Int($0).map((400...599).contains) ?? false }
    }
  }

  /// The innermost element with nearly all prose that is neither a paragraph nor a part of a list or table, but may be a cell.
  private static func top(_ tree: HTMLTree, _ body: Int, _ survey: ArticleSurvey) -> Int {
    var top = body
    while case let prose = Double(survey.amounts(in: top)[.prose]), prose > 0 {
      let next = tree.children(of: top).first { child in
        let element = tree.nodes[child].element
        let share = element == .article || element == .main ? markedShare : mostShare
        return Double(survey.amounts(in: child)[.prose]) >= prose * share && mayContainArticle(element)
      }
      guard let next else { break }
      top = next
    }
    while [.table, .tbody, .tr].contains(tree.nodes[top].element) { top = Int(tree.nodes[top].parent) }
    return top
  }

  private static func mayContainArticle(_ element: HTMLElement) -> Bool {
    switch element {
    case .p, .pre, .blockquote, .ul, .ol, .dl, .figure, .thead, .tfoot, .caption: false
    default: element.traits.isDisjoint(with: .inline)
    }
  }

  /// Leaves out what is not of the article, with headings that have nothing else below them, and adds up the rest.
  private mutating func trim() {
    found = survey.own(top)
    var index = top + 1
    // The last heading while nothing below it is kept, and whether something was left out there.
    var heading: Int?
    var isEmptied = false
    while index < tree.nodes[top].end {
      let (item, amounts) = (tree.nodes[index], survey.amounts(in: index))
      let isData = item.element == .table && amounts.linkShare < 0.5 && tree.isDataTable(index)
      if !isData, !leftOut.contains(Int32(index)), isClutter(item.element, amounts) {
        leftOut.insert(Int32(index))
        isEmptied = true
      }
      if leftOut.contains(Int32(index)) {
        index = Int(item.end)
        continue
      }
      if item.element.traits.contains(.heading) {
        if isEmptied, let heading { leftOut.insert(Int32(heading)) }
        heading = index
        isEmptied = false
      } else if survey.own(index)[.text] > 0 || item.element == .img,
        index >= heading.map({ tree.nodes[$0].end }) ?? 0
      {
        heading = nil
      }
      found += isData ? amounts : survey.own(index)
      index = isData ? Int(item.end) : index + 1
    }
    if isEmptied, let heading { leftOut.insert(Int32(heading)) }
  }

  private func isClutter(_ element: HTMLElement, _ amounts: ArticleAmounts) -> Bool {
    switch element {
    case .div, .section, .table, .form, .fieldset, .header, .dl, .ul, .ol:
      guard amounts[.prose] < Self.muchProse else { return false }
      if amounts[.fields] * 3 > amounts[.paragraphs] { return true }
      if amounts[.images] == 1, amounts[.text] < 200 { return false }
      return amounts.linkShare > (element == .ul || element == .ol ? 0.9 : 0.25)
    default: return false
    }
  }
}
