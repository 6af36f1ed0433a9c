// The text of a page by element: how much of it reads as prose, and how much are links.

/// Facts about all elements of a page, in linear time.
struct ArticleSurvey {
  /// The sums of all nodes before each node; what an element contains is a difference.
  private var sums: [ArticleAmounts]
  /// The elements that are not for readers, or not of an article.
  private(set) var leftOut: Set<Int32> = []
  private let tree: HTMLTree
  private let body: Int
  /// The sums of the earlier survey.
  private let all: [ArticleAmounts]?
  /// The open blocks, each with the text of its own.
  private var blocks: [Block] = []
  private var (linkEnd, tableEnd) = (0, 0)
  /// Whether the last text was one of links.
  private var isAfterLinks = false

  private struct Block {
    let node: Int
    let end: Int
    var own = ArticleAmounts()
  }

  /// The least text outside links that is prose, in bytes without white space.
  private static let leastProse = 25

  /// - Parameter all: an earlier survey of the page; with it, elements with names such as `sidebar` are left out.
  init(_ tree: HTMLTree, body: Int, knowing all: ArticleSurvey? = nil) {
    (self.tree, self.body, self.all) = (tree, body, all?.sums)
    sums = Array(repeating: ArticleAmounts(), count: tree.nodes.count + 1)
    read()
    addUp()
    weighProse()
  }

  /// The amounts in an element, without the elements that are left out.
  func amounts(in node: Int) -> ArticleAmounts { amounts(in: node, sums) }

  private func amounts(in node: Int, _ sums: [ArticleAmounts]) -> ArticleAmounts {
    sums[Int(tree.nodes[node].end)] - sums[node]
  }

  /// The amounts of a node itself, without the nodes in it.
  func own(_ node: Int) -> ArticleAmounts { sums[node + 1] - sums[node] }

  private mutating func read() {
    var index = body
    while index < tree.nodes[body].end {
      while let last = blocks.last, last.end <= index { endBlock() }
      let item = tree.nodes[index]
      if !item.isElement {
        addText(index)
      } else if index != body, isLeftOut(index) {
        leftOut.insert(Int32(index))
        index = Int(item.end)
        continue
      } else {
        begin(index)
      }
      index += 1
    }
    while !blocks.isEmpty { endBlock() }
  }

  private mutating func begin(_ node: Int) {
    let item = tree.nodes[node]
    let isCell = item.element.traits.contains(.cell) || item.element == .dd || item.element == .dt
    if isCell || !item.element.traits.isDisjoint(with: [.block, .preformatted]) {
      blocks.append(Block(node: node, end: Int(item.end)))
    }
    switch item.element {
    case .a where tree.rawValue(ArticleNames.href, of: node) != nil: linkEnd = Int(item.end)
    case .table where node >= tableEnd && tree.isDataTable(node): tableEnd = Int(item.end)
    case .img: sums[node][.images] = 1
    case .input: sums[node][.fields] = 1
    default: break
    }
  }

  /// Counts the bytes of a text, so that a character of Chinese counts like a short word.
  private mutating func addText(_ node: Int) {
    var amounts = ArticleAmounts()
    for byte in tree.source[tree.nodes[node].range] where byte > 0x20 { amounts[.text] += 1 }
    if node < linkEnd { amounts[.links] = amounts[.text] }
    sums[node] = amounts
    if !blocks.isEmpty { blocks[blocks.count - 1].own += amounts }
  }

  /// Decides whether the text of a block is prose.
  ///
  /// Prose has more than a few words, most of them outside links. The cells of a table with data may be short.
  private mutating func endBlock() {
    let block = blocks.removeLast()
    let plain = block.own[.text] - block.own[.links]
    if plain <= block.own[.links] {
      isAfterLinks = isAfterLinks || block.own[.text] > 0
    } else if plain >= (block.node < tableEnd ? 1 : Self.leastProse),
      !tree.nodes[block.node].element.traits.contains(.heading)
    {
      sums[block.node][.prose] = plain
      sums[block.node][.paragraphs] = 1
      sums[block.node][.teasers] = isAfterLinks ? 1 : 0
      isAfterLinks = false
    }
  }

  private mutating func addUp() {
    var total = ArticleAmounts()
    for index in sums.indices {
      let before = total
      total += sums[index]
      sums[index] = before
    }
  }

  /// Lowers the prose of blocks with many links around them, which is the text of teasers and menus.
  private mutating func weighProse() {
    var total: Int32 = 0
    var before = sums[0][.prose]
    for index in tree.nodes.indices {
      let prose = sums[index + 1][.prose] - before
      before = sums[index + 1][.prose]
      sums[index][.prose] = total
      guard prose > 0 else { continue }
      let around = amounts(in: Int(tree.nodes[Int(tree.nodes[index].parent)].parent))
      let rest = 1 - around.linkShare
      total += Int32(Double(prose) * rest * rest)
    }
    sums[sums.count - 1][.prose] = total
  }

  // MARK: Elements that are left out

  private func isLeftOut(_ node: Int) -> Bool {
    let element = tree.nodes[node].element
    switch element {
    case .nav, .aside, .button, .select, .textarea, .object, .embed, .dialog: return true
    case .footer: return tree.nodes[Int(tree.nodes[node].parent)].element != .blockquote
    case .noscript:
      return !tree.nodes[node..<Int(tree.nodes[node].end)].prefix(8).contains { $0.element == .img }
    // Players can fill the screen; advertisements cannot.
    case .iframe: return tree.rawValue(ArticleNames.allowFullScreen, of: node) == nil
    case _ where element.traits.contains(.hidden): return true
    default: break
    }
    if tree.isInvisible(node) { return true }
    // Names of parts of a line and of a table are about their looks, such as a comment in a program.
    guard element != .article, element != .main, element.traits.isDisjoint(with: [.inline, .tablePart]) else {
      return false
    }
    if let role = tree.rawValue(ArticleNames.role, of: node), ArticleNames.roles.contains(nameHash(role)) {
      return true
    }
    if tree.isNamed(node, ArticleNames.foreign) { return true }
    guard let all, tree.isNamed(node, ArticleNames.layout), !tree.isNamed(node, ArticleNames.content) else {
      return false
    }
    // Names may mislead: all of a page may be a "modal" or "with-sidebar".
    return amounts(in: node, all)[.prose] * 2 < amounts(in: body, all)[.prose]
  }
}

/// Amounts of what elements contain; texts in bytes without white space.
struct ArticleAmounts {
  private var values = SIMD8<Int32>()

  enum Part: Int {
    case text
    /// The text of links.
    case links
    /// The text outside links of blocks that read as prose, and the number of these blocks.
    case prose, paragraphs
    /// Such blocks that are the first after one of links.
    case teasers
    case images, fields
  }

  subscript(part: Part) -> Int32 {
    get { values[part.rawValue] }
    set { values[part.rawValue] = newValue }
  }

  var linkShare: Double { self[.text] > 0 ? Double(self[.links]) / Double(self[.text]) : 0 }

  static func += (left: inout Self, right: Self) { left.values &+= right.values }

  static func - (left: Self, right: Self) -> Self {
    var difference = left
    difference.values &-= right.values
    return difference
  }
}

/// Names in classes, ids, roles and styles, with their meaning for an article.
enum ArticleNames {
  static let allowFullScreen = nameHash("allowfullscreen".utf8)
  static let href = nameHash("href".utf8)
  static let role = nameHash("role".utf8)
  fileprivate static let (ariaHidden, hidden, style) = (
    nameHash("aria-hidden".utf8), nameHash("hidden".utf8), nameHash("style".utf8)
  )
  fileprivate static let names = [nameHash("class".utf8), nameHash("id".utf8)]

  /// Declarations of styles, without blanks, that hide an element.
  static let invisible = nameHashes(
    "display:none display:none!important visibility:hidden visibility:hidden!important")

  static let roles = nameHashes("alert alertdialog complementary dialog menu menubar navigation")
  /// Beginnings of words that name what is never of an article.
  static let foreign = nameHashes("comment consent cookie disqus gdpr replies respond")
  /// Beginnings of words that name parts of a page around an article, if the words of `content` do not correct them.
  static let layout = nameHashes(
    """
    ad ads advert banner breadcrumb community feedback footer header legends login menu modal newsletter outbrain overlay \
    pager pagination popup promo recommend related share sharing shoutbox sidebar signup skyscraper social \
    sponsor subscri supplemental taboola toolbar
    """)
  static let content = nameHashes("article body column content main math")
}

extension HTMLTree {
  /// Whether a word in the class or id of an element, such as "related" in "relatedLinks", begins with one of a set of words
  /// of at most 12 letters; one of two letters must be all of it.
  fileprivate func isNamed(_ node: Int, _ stems: Set<NameHash>) -> Bool {
    ArticleNames.names.contains { name in
      guard let value = rawValue(name, of: node)?.prefix(512) else { return false }
      var start = value.startIndex
      while start < value.endIndex {
        var end = start
        while end < value.endIndex, isLetter(value[end]), end == start || !isNewWord(value, at: end) {
          end += 1
        }
        let longest = min(end - start, 12)
        if longest > 1 {
          for length in min(3, longest)...longest
          where stems.contains(nameHash(value[start..<start + length])) {
            return true
          }
        }
        start = max(end, start + 1)
      }
      return false
    }
  }

  private func isLetter(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isASCIILetter }

  /// Whether a capital letter follows a small one.
  private func isNewWord(_ value: Slice<UnsafeBufferPointer<UInt8>>, at index: Int) -> Bool {
    (0x41...0x5A).contains(value[index]) && !(0x41...0x5A).contains(value[index - 1])
  }

  fileprivate func isInvisible(_ node: Int) -> Bool {
    if rawValue(ArticleNames.hidden, of: node) != nil { return true }
    if rawValue(ArticleNames.ariaHidden, of: node)?.elementsEqual("true".utf8) ?? false { return true }
    guard let style = rawValue(ArticleNames.style, of: node)?.prefix(512) else { return false }
    return style.filter { $0 > 0x20 }.split(separator: ";").contains {
      ArticleNames.invisible.contains(nameHash($0))
    }
  }

  /// Whether a table has columns and rows of data, and is not there for the looks of a page.
  func isDataTable(_ table: Int) -> Bool {
    var (rows, cells) = (0, 0)
    for item in nodes[table + 1..<Int(nodes[table].end)] {
      switch item.element {
      case .table: return false
      case .tr: rows += 1
      case .td, .th: cells += 1
      default: break
      }
    }
    return rows > 2 && cells >= 2 * rows
  }
}
