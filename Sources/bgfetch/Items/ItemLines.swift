// Items as lines on a terminal, aligned.

import Core

/// The columns of a list of items: their widths, and the texts of an item in them.
struct ItemColumns {
  private let now: Instant
  private let zone: Zone
  private let page: Page
  private let hasColor: Bool
  private let widths: (number: Int, date: Int, feed: Int)

  /// Columns that are wide enough for these items.
  ///
  /// - Parameter hasColor: whether unseen titles are bold, and dates and feeds dim.
  init(for items: [StoredItem], now: Instant, in zone: Zone, on page: Page, hasColor: Bool) {
    (self.now, self.zone, self.page, self.hasColor) = (now, zone, page, hasColor)
    widths = (
      number: items.map { String($0.number).utf8.count }.max() ?? 0,
      date: items.map { shortDate($0.date, now: now, in: zone).utf8.count }.max() ?? 0,
      feed: min(items.map { displayWidth($0.feed.text) }.max() ?? 0, max(8, (page.columns ?? 80) / 5))
    )
  }

  /// The texts of an item's line that do not change when it is marked.
  struct Row {
    fileprivate let number: String
    fileprivate let origin: String
    fileprivate let title: String
  }

  /// The row of an item.
  func row(_ item: StoredItem) -> Row {
    func padded(_ text: String, _ width: Int) -> String { text + blanks(width - displayWidth(text)) }
    let number = String(item.number)
    return Row(
      number: blanks(widths.number - number.utf8.count) + number,
      origin: padded(shortDate(item.date, now: now, in: zone), widths.date) + "  "
        + padded(fitted(item.feed.text, widths.feed), widths.feed) + "  ",
      title: cleanText(itemTitle(item.record), limit: 1024))
  }

  /// The line of an item.
  ///
  /// - Parameters:
  ///   - marks: what is between the number and the date, such as the `*` of an unseen item.
  ///   - link: the address to which the title leads, if the terminal understands hyperlinks (OSC 8).
  ///   - width: the columns that it may take; nil means any.
  func line(_ row: Row, marks: String, isSeen: Bool, link: String? = nil, within width: Int?) -> String {
    func styled(_ text: String, _ style: Console.Style) -> String {
      hasColor ? style.applied(to: text) : text
    }
    let start = row.number + " \(marks) "
    var title = row.title
    if let width {
      title = fitted(
        title, max(10, width - displayWidth(start + row.origin)))
    }
    title = hyperlink(title, to: link)
    return start + styled(row.origin, .dim) + (isSeen ? title : styled(title, .bold))
  }
}

/// Lines for items that fit the width of the terminal, aligned.
///
/// - Parameters:
///   - hasLinks: whether titles are hyperlinks (OSC 8); the terminal must understand them.
///   - hasColor: whether unseen titles are bold, and dates and feeds dim.
func itemLines(
  _ items: [StoredItem], now: Instant, in zone: Zone, on page: Page, hasLinks: Bool, hasColor: Bool = false
) -> [String] {
  let columns = ItemColumns(for: items, now: now, in: zone, on: page, hasColor: hasColor)
  return items.map { item in
    columns.line(
      columns.row(item), marks: item.record.isSeen ? " " : "*", isSeen: item.record.isSeen,
      link: hasLinks ? item.record.link : nil, within: page.columns)
  }
}
