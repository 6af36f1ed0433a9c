// A list of subscriptions as OPML 2.0 (opml.org/spec2.opml).

public import Core

/// Subscriptions as OPML 2.0, an outline each, which every feed reader can import.
///
/// The same subscriptions give the same bytes: there is no date in it.
public func opmlText(_ subscriptions: [Subscription]) -> String {
  var text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <opml version="2.0">
      <head>
        <title>Feeds of bgfetch</title>
      </head>
      <body>

    """
  for subscription in subscriptions {
    text += "    <outline type=\"rss\""
    let title = subscription.title ?? subscription.url
    for (name, value) in [
      // OPML requires `text`; some programs read only `title`.
      ("text", title), ("title", title), ("xmlUrl", subscription.url), ("htmlUrl", subscription.link ?? ""),
      ("category", subscription.tags.joined(separator: ",")),
    ] where !value.isEmpty {
      text += " \(name)=\"\(attributeText(value))\""
    }
    text += "/>\n"
  }
  return text + "  </body>\n</opml>\n"
}

/// A text as the value of an attribute in double quotes, without what XML 1.0 forbids.
private func attributeText(_ text: String) -> String {
  var escaped = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
    case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
    case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
    case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
    case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
    case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: break
    default: escaped.append(scalar)
    }
  }
  return String(escaped)
}
