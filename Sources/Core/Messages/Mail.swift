// Messages as mail (RFC 5322), as text and as HTML, for sendmail(8), msmtp(1) and the like.

/// A notification or digest as a mail, with the line ends of standard input, ready for `sendmail -t`.
///
/// The same delivery has the same `Message-ID` at every attempt, so that mail that was sent twice can be recognised. A message
/// about one item is a mail of that item: its title and date, sent by its feed, with its article.
///
/// - Parameters:
///   - hook: the name of the hook, by which readers of mail can filter (`List-Id`).
///   - zone: the zone of the dates.
func mail(_ event: Event, by hook: String, _ addresses: MailAddresses, in zone: Zone) -> String {
  let identity = identification(event, hook, addresses)
  var event = event
  let (item, feed) = (event.item, event.items.first?.feedTitle ?? "")
  // The title of another template than the standard one stays.
  if let item, event.text("title") == feed {
    event.fields = event.fields.replacing("title", with: itemTitle(item.record))
  }
  let body = MailBody(event)
  let published = event.isUpdate ? nil : item?.record.published
  let date = published.flatMap { $0.secondsSince1970 > 0 ? min($0, event.time) : nil }
  var list = "\(hook).bgfetch.localhost"
  // No two dots may be beside each other (RFC 2919).
  if let item { list = item.feed.text.split(separator: ".").joined(separator: ".") + "." + list }
  var lines = [
    item == nil ? "From: " + addresses.from : headerField("From", feed, "<\(addresses.from)>"),
    "To: " + addresses.to.joined(separator: ",\n "), headerField("Subject", event.text("title")),
    "Date: " + time(date ?? event.time, "%a, %d %b %Y %H:%M:%S %z", in: zone),
  ]
  lines += identity
  lines.append(item == nil ? "List-Id: <\(list)>" : headerField("List-Id", feed, "<\(list)>"))
  if let item { lines += fieldsOfFilters(item, event.source) }
  lines += [
    // Programs should not answer (RFC 3834).
    "Auto-Submitted: auto-generated", "User-Agent: bgfetch", "MIME-Version: 1.0",
    // No part can contain the boundary, because quoted-printable encodes "=".
    "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
  ]
  return lines.joined(separator: "\n") + "\n\n" + part("plain", body.text) + part("html", body.html(in: zone))
    + "--\(boundary)--\n"
}

private let boundary = "=_bgfetch_part"

/// The fields by which filters find the mails of feeds and items, four of them as from rss2email.
private func fieldsOfFilters(_ item: StoredItem, _ source: FeedSpec?) -> [String] {
  let fields = [
    ("X-Tags", source?.tags.joined(separator: ", ") ?? ""), ("X-RSS-Feed", webLink(source?.address?.masked)),
    ("X-RSS-ID", cleanText(item.id, limit: 1024)), ("X-RSS-URL", webLink(item.record.link)),
    ("X-RSS-TAGS", item.record.details?.categories.joined(separator: ",") ?? ""),
  ]
  return fields.filter { !$1.isEmpty }.map { headerField($0, $1, longest: 900) }
}

private func part(_ type: String, _ text: String) -> String {
  """
  --\(boundary)
  Content-Type: text/\(type); charset=utf-8
  Content-Transfer-Encoding: quoted-printable

  \(quotedPrintable(text))


  """
}

/// The `Message-ID`, which depends only on the item in its first mail, so that mails about its updates are replies to that one.
private func identification(_ event: Event, _ hook: String, _ addresses: MailAddresses) -> [String] {
  func identifier(_ texts: [String], from start: String) -> String {
    var print = Fingerprint()
    for text in texts { print.add(text) }
    let domain = addresses.from.split(separator: "@").dropFirst().last.map(String.init) ?? "localhost"
    return "<\(start).\(String(print.value, radix: 16)).bgfetch@\(domain)>"
  }
  let ofMessage = identifier(
    [event.id, hook, event.text("title"), event.text("body")], from: String(event.time.secondsSince1970))
  guard let item = event.item else { return ["Message-ID: " + ofMessage] }
  let first = identifier(
    [item.feed.text, item.id, hook],
    from: item.id.hasPrefix("#") ? "\(item.firstSeen.secondsSince1970)" : "item")
  guard event.isUpdate else { return ["Message-ID: " + first] }
  return ["Message-ID: " + ofMessage, "In-Reply-To: " + first, "References: " + first]
}

/// The content of a mail.
private struct MailBody {
  private let event: Event
  /// The list of the items; nil for a message about one item or none, whose own body says more.
  private let news: NewsList?

  init(_ event: Event) {
    self.event = event
    let items = event.items
    let count = max(items.count, Int(event.text("count")) ?? 0)
    let messages = event.text("messages").split(separator: "\n").map(String.init)
    let isList = event.kind == .digest || items.count > 1
    news =
      isList ? NewsList(items: items, count: count, messages: messages, mailed: event.mailed) : nil
  }

  private var link: String { event.items.first?.link ?? event.text("link") }

  /// The article, or the text of the message, between the author and the files and addresses of the item.
  var text: String {
    if let news { return news.text(isMail: true) }
    let article = event.item?.mailText(columns) ?? ""
    return [
      author, article.isEmpty ? inLines(event.text("body")) : article,
      (files + [link]).filter { !$0.isEmpty }.joined(separator: "\n"),
    ].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private var author: String { event.item?.record.author ?? "" }

  private var files: [String] {
    guard let item = event.item else { return [] }
    let files = event.items.first?.files ?? []
    return files.isEmpty ? item.record.details?.enclosures.map(\.url) ?? [] : files
  }

  func html(in zone: Zone) -> String {
    let content =
      news?.html(in: zone) ?? event.item.map(html) ?? paragraph(event.text("body")) + linkParagraph(link)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="color-scheme" content="light dark">
      <title>\(escapedMarkup(event.text("title")))</title>
      </head>
      <body style="font-family:sans-serif;max-width:42em">
      \(content)</body>
      </html>
      """
  }

  private func html(of item: StoredItem) -> String {
    "<h1 style=\"font-size:1.3em\">\(linked(itemTitle(item.record), link))</h1>\n" + paragraph(author)
      + item.mailHTML + files.map(linkParagraph).joined()
  }

  /// A paragraph with an address, or with the path of a file.
  private func linkParagraph(_ link: String) -> String {
    link.isEmpty ? "" : "<p>\(linked(link, webLink(link)))</p>\n"
  }
}

/// A header field on lines of at most 76 bytes, or of `longest` if its text has no blanks to fold at, which may end with an address or another identity in angle brackets.
///
/// Short printable ASCII stays as it is, in quotes before an address. Anything else becomes encoded words (RFC 2047), so that no
/// text can end the field or begin another one.
func headerField(
  _ name: String, _ text: String, _ bracketed: String? = nil, longest: Int = 76
) -> String {
  let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
  let quoted = "\"" + replacing(["\\": "\\\\", "\"": "\\\""], in: text) + "\""
  let line = "\(name): " + (bracketed.map { "\(quoted) \($0)" } ?? text)
  if isPlain, line.utf8.count <= longest { return line }
  let words = encodedWords(text) + [bracketed].compactMap(\.self)
  return "\(name): " + words.joined(separator: "\n ")
}

/// The text in encoded words of at most 64 bytes, each with whole scalars (RFC 2047 section 5).
private func encodedWords(_ text: String) -> [String] {
  var words: [String] = []
  var bytes: [UInt8] = []
  func close() {
    let padding = String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    if !bytes.isEmpty { words.append("=?UTF-8?B?\(base64(bytes) + padding)?=") }
    bytes = []
  }
  for scalar in text.unicodeScalars {
    let next = Array(UTF8.encode(scalar) ?? .init())
    // 39 bytes are 52 letters of base64, and 12 more belong to the word.
    if bytes.count + next.count > 39 { close() }
    bytes += next
  }
  close()
  return words
}

/// A body in quoted-printable (RFC 2045 section 6.7): ASCII on lines of at most 76 bytes.
///
/// A `.` or `From ` at the beginning of a line is encoded too: sendmail(8) may take the first for the end of the mail, and
/// programs that store mail change the second.
func quotedPrintable(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var output: [UInt8] = []
  var length = 0
  let bytes = Array(text.utf8)
  for (index, byte) in bytes.enumerated() {
    if byte == "\n" {
      output.append(byte)
      length = 0
      continue
    }
    let isLast = index + 1 == bytes.count || bytes[index + 1] == "\n"
    let isPlain =
      byte == " " ? !isLast : (0x21..<0x7F).contains(byte) && byte != "="
    // One byte stays free for the `=` of a soft line break.
    if length + (isPlain ? 1 : 3) > 75 {
      output += "=\n".utf8
      length = 0
    }
    let isMark = length == 0 && (byte == "." || bytes[index...].starts(with: "From ".utf8))
    let piece =
      isPlain && !isMark ? [byte] : ["=", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    output += piece
    length += piece.count
  }
  return String(decoding: output, as: UTF8.self)
}
