// An article's HTML as text for a terminal or a plain mail: blocks that are laid out for a width.

/// The text of an article.
public struct ArticleText: Sendable {
  /// A line as it is shown.
  public struct Line: Sendable {
    /// The text, with a `linkMark` before each number of a link.
    public var text: String
    /// Whether it belongs to a heading.
    public var isHeading = false
  }

  /// The invisible character before the number of a link; no text of an article has it.
  public static let linkMark: Unicode.Scalar = "\u{2060}"

  /// The addresses of links and media; the number 2 in the text is the second.
  public let links: [String]
  private let blocks: [TextBlock]
  private let limit: Int

  /// Reads an article.
  ///
  /// - Parameters:
  ///   - html: HTML with absolute addresses.
  ///   - numbersLinks: whether links, and media that a text cannot show, get their number behind them.
  ///   - page: the address of the item's page; references inside it get no numbers.
  ///   - limit: the maximum length of the text, in bytes of UTF-8.
  public init(
    html: String, numbersLinks: Bool, page: String? = nil,
    limit: Int = 2 * Int(DetailBounds.mostContent.bytes)
  ) {
    self.limit = limit
    var html = html
    (blocks, links) = html.withUTF8 { bytes in
      guard let tree = HTMLTree(bytes, isItem: true) else { return ([], []) }
      var reader = ArticleReader(tree, numbersLinks: numbersLinks, page: page, limit: limit)
      return reader.read()
    }
  }

  /// The text of a watched page or another text without markup.
  public init(lines: String) {
    links = []
    limit = .max
    blocks = lines.isEmpty ? [] : [TextBlock(content: .code(cleanCode(lines)))]
  }

  /// The text without wrapping; tables are as wide as a mail.
  public var text: String { text(nil) }

  /// The text in lines of a width; tables are at most as wide as a mail.
  func text(_ columns: Int?) -> String {
    let lines = lines(columns, tables: columns ?? 78).map(\.text)
    return graphemePrefix(of: replacing([Self.linkMark: ""], in: lines.joined(separator: "\n")), limit: limit)
  }

  /// The lines of the article.
  ///
  /// - Parameters:
  ///   - columns: the width at which text is wrapped; code is not.
  ///   - tables: the maximum width of tables.
  public func lines(_ columns: Int?, tables: Int) -> [Line] {
    // Code is indented to be apart from prose.
    blocks.lines(columns, tables: tables, indentsCode: blocks.count > 1)
  }
}

/// A paragraph or a part that stands alone.
struct TextBlock: Sendable {
  enum Content: Sendable {
    /// Lines that may be wrapped.
    case text(String)
    /// Lines that may not.
    case code(String)
    case table(TextTable)
  }

  var content: Content
  var isHeading = false
  /// Whether an empty line separates it from the block before.
  var isApart = false
  /// The marks before its first line, such as `> ` or `1. `.
  var firstPrefix = ""
  /// The marks before its other lines, as wide as those before the first.
  var prefix = ""

  /// The blank that indents a line and does not fold, until the text is laid out.
  static let indentation: Unicode.Scalar = "\u{A0}"

  func lines(_ columns: Int?, tables: Int, indentsCode: Bool) -> [ArticleText.Line] {
    let margin = displayWidth(prefix)
    let own: [ArticleText.Line]
    switch content {
    case .text(let text):
      let width = columns.map { max(8, $0 - margin) }
      own = splitLines(text).flatMap { Self.wrappedLine($0, width) }.map { ArticleText.Line(text: $0) }
    case .code(let text):
      let margin = indentsCode ? "    " : ""
      own = splitLines(text).map { ArticleText.Line(text: $0.isEmpty ? "" : margin + $0) }
    case .table(let table): own = table.lines(columns.map { $0 - margin }, tables: tables - margin)
    }
    return own.enumerated().map { number, line in
      let text = (number == 0 ? firstPrefix : prefix) + line.text
      return ArticleText.Line(
        text: line.text.isEmpty ? withoutTrailingBlanks(text) : text, isHeading: isHeading || line.isHeading)
    }
  }

  /// A line wrapped behind its own indentation and the typed mark of an item or a quote, such as `- `.
  private static func wrappedLine(_ line: Substring, _ columns: Int?) -> [String] {
    let margin = line.unicodeScalars.prefix { $0 == indentation }.count
    let text = Substring(line.unicodeScalars.dropFirst(margin))
    let mark = typedMarks.first(where: text.hasPrefix) ?? ""
    let width = margin + mark.count
    let lines = wrapped(String(text.dropFirst(mark.count)), columns.map { max(8, $0 - width) })
    let first = String(repeating: " ", count: margin) + mark
    let rest = mark == "> " ? first : String(repeating: " ", count: width)
    return lines.enumerated().map { ($0 == 0 ? first : rest) + $1 }
  }

  private static let typedMarks = ["> ", "• ", "- ", "* ", "– ", "◦ ", "▪ ", "‣ "]

  /// The width without wrapping, and the width of the widest part which is never broken.
  var widths: (natural: Int, least: Int) {
    let margin = displayWidth(prefix)
    switch content {
    case .text(let text):
      return (margin + widest(splitLines(text)), margin + widestPiece(of: text))
    case .code(let text):
      let width = margin + widest(splitLines(text))
      return (width, width)
    case .table: return (.max, .max)
    }
  }

  /// Whether it may be in a table; headings and long texts are in tables that only place parts of a page.
  var fitsColumns: Bool {
    switch content {
    case .text(let text), .code(let text): !isHeading && text.utf8.count <= 1000
    case .table: false
    }
  }

  private func widest(_ lines: [Substring]) -> Int { lines.map { displayWidth($0) }.max() ?? 0 }
}

extension [TextBlock] {
  /// The lines of blocks below one another.
  func lines(_ columns: Int?, tables: Int, indentsCode: Bool = true) -> [ArticleText.Line] {
    var lines: [ArticleText.Line] = []
    var outer = ""
    for block in self {
      if block.isApart, !lines.isEmpty {
        // The marks of a quote go on between its paragraphs.
        let common = zip(outer.utf8, block.prefix.utf8).prefix { $0 == $1 }.map(\.0)
        lines.append(ArticleText.Line(text: withoutTrailingBlanks(String(decoding: common, as: UTF8.self))))
      }
      outer = block.prefix
      lines += block.lines(columns, tables: tables, indentsCode: indentsCode)
    }
    return lines
  }
}

/// Lines that cannot control a terminal, with their blanks.
func cleanCode(_ text: String) -> String {
  text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { line in
    replacing(["\t": "    "], in: String(line)).split(separator: " ", omittingEmptySubsequences: false)
      .map { cleanText(String($0), limit: .max) }.joined(separator: " ")
  }.joined(separator: "\n")
}
