// Messages as mail (RFC 5322), as text and as HTML, for sendmail(8), msmtp(1) and the like.

/// A notification or digest as a mail, with the line ends of standard input, ready for `sendmail -t`.
///
/// Without `from`, the sending program adds the field. The same delivery has the same `Message-ID` at every attempt, so that
/// mail that was sent twice can be recognised.
///
/// - Parameters:
///   - hook: the name of the hook, by which readers of mail can filter (`List-Id`).
///   - zone: the zone of the dates.
func mail(_ event: Event, by hook: String, _ addresses: MailAddresses, in zone: Zone) -> String {
  let body = MailBody(event)
  var lines = addresses.from.map { ["From: " + $0] } ?? []
  lines += [
    "To: " + addresses.to.joined(separator: ",\n "), headerField("Subject", event.text("title")),
    "Date: " + time(event.time, "%a, %d %b %Y %H:%M:%S %z", in: zone),
    "Message-ID: " + messageID(event, hook, addresses), "List-Id: <\(hook).bgfetch.localhost>",
    // Programs should not answer (RFC 3834).
    "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
    // No part can contain the boundary, because quoted-printable encodes "=".
    "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
  ]
  return lines.joined(separator: "\n") + "\n\n" + part("plain", body.text) + part("html", body.html(in: zone))
    + "--\(boundary)--\n"
}

private let boundary = "=_bgfetch_part"

private func part(_ type: String, _ text: String) -> String {
  """
  --\(boundary)
  Content-Type: text/\(type); charset=utf-8
  Content-Transfer-Encoding: quoted-printable

  \(quotedPrintable(text))


  """
}

private func messageID(_ event: Event, _ hook: String, _ addresses: MailAddresses) -> String {
  var print = Fingerprint()
  for text in [event.id, hook, event.text("title"), event.text("body")] { print.add(text) }
  let address = addresses.from ?? addresses.to.first ?? ""
  let domain = address.split(separator: "@").dropFirst().last.map(String.init) ?? "localhost"
  return "<\(event.time.secondsSince1970).\(String(print.value, radix: 16)).bgfetch@\(domain)>"
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
    news = isList ? NewsList(items: items, count: count, messages: messages) : nil
  }

  private var link: String { event.items.first?.link ?? event.text("link") }

  var text: String {
    if let news { return news.text }
    return [event.text("body"), link].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  func html(in zone: Zone) -> String {
    let content =
      news?.html(in: zone)
      ?? "<p>"
      + event.text("body").split(separator: "\n", omittingEmptySubsequences: false)
      .map { escapedMarkup(String($0)) }.joined(separator: "<br>\n")
      + "</p>\n" + (link.isEmpty ? "" : "<p>\(linked(link, link))</p>\n")
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
}
