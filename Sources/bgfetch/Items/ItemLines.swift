// Items as lines on a terminal: numbers to act on, short dates, titles as links.

import Core

/// Lines for items that fit the width of the terminal, aligned.
///
/// - Parameters:
///   - hasLinks: whether titles are hyperlinks (OSC 8); the terminal must understand them.
func itemLines(
  _ items: [StoredItem], now: Instant, in zone: Zone, on page: Page, hasLinks: Bool
) -> [String] {
  let numbers = items.map { String($0.number) }
  let dates = items.map { shortDate($0.date, now: now, in: zone) }
  let numberWidth = numbers.map(\.utf8.count).max() ?? 0
  let dateWidth = dates.map(\.utf8.count).max() ?? 0
  let feedWidth = min(items.map { displayWidth($0.feed.text) }.max() ?? 0, max(8, (page.columns ?? 80) / 5))
  return items.indices.map { index in
    let item = items[index]
    let mark = item.record.isSeen ? " " : "*"
    let feed = fitted(item.feed.text, feedWidth, showsUnicode: page.showsUnicode)
    let start =
      blanks(numberWidth - numbers[index].utf8.count) + numbers[index] + " \(mark) "
      + dates[index] + blanks(dateWidth - dates[index].utf8.count) + "  " + feed
      + blanks(feedWidth - displayWidth(feed)) + "  "
    var title = cleanText(itemTitle(item.record), limit: 1024)
    if let columns = page.columns {
      title = fitted(title, max(10, columns - displayWidth(start)), showsUnicode: page.showsUnicode)
    }
    return start + (hasLinks ? hyperlink(title, to: item.record.link) : title)
  }
}

/// The shortest clear form of a date: the time if it is today, the day if it is this year, else the whole date.
private func shortDate(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  let (then, today) = (zone.civil(at: moment), zone.civil(at: now))
  if then.daysSince1970 == today.daysSince1970 { return time(moment, "%H:%M", in: zone) }
  return time(moment, then.year == today.year ? "%e %b" : "%Y-%m-%d", in: zone)
}

/// A text that terminals show as a link; only the text if the address is not http or https.
private func hyperlink(_ text: String, to address: String?) -> String {
  // An address in this sequence has printable ASCII characters only.
  let link = percentEncoded(webLink(address)) { (0x21...0x7E).contains($0.value) }
  return link.isEmpty ? text : "\u{1B}]8;;\(link)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
}
