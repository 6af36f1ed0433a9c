// A list of news by feed, as text and as HTML, for mail.

/// Items under the titles of their feeds, then other messages, and numbers last.
struct NewsList {
  var items: [EventItem]
  /// The number of items in all; more than `items` if there are very many.
  var count: Int
  /// Other messages, such as `Planet is failing: …`, one line each.
  var messages: [String] = []

  /// The items of each feed, in the order of their newest items.
  private var feeds: [(title: String, items: [EventItem])] {
    var places: [FeedName: Int] = [:]
    var feeds: [(title: String, items: [EventItem])] = []
    for item in items {
      if let place = places[item.feed] {
        feeds[place].items.append(item)
      } else {
        places[item.feed] = feeds.count
        feeds.append((item.feedTitle, [item]))
      }
    }
    return feeds
  }

  /// The last line: `12 new in 4 feeds`.
  private func total(_ feeds: Int) -> String {
    let rest = count - items.count
    return "\(count) new in \(counted(feeds, "feed"))" + (rest > 0 ? ", \(rest) of them not listed" : "")
  }

  var text: String {
    let feeds = feeds
    var parts = feeds.map { feed in
      ([feed.title]
        + feed.items.map { "- " + $0.title + ($0.link.isEmpty ? "" : "\n  " + $0.link) }).joined(
          separator: "\n")
    }
    if !messages.isEmpty { parts.append(messages.joined(separator: "\n")) }
    if count > 0 { parts.append(total(feeds.count)) }
    return parts.joined(separator: "\n\n")
  }

  /// The content of an HTML body; every text is escaped, and links are http or https.
  func html(in zone: Zone) -> String {
    let feeds = feeds
    var html = ""
    for feed in feeds {
      html += "<h2 style=\"font-size:1.1em;margin:1.2em 0 .3em\">\(escapedMarkup(feed.title))</h2>\n<ul>\n"
      for item in feed.items {
        let date = time(item.published, "%e %b, %H:%M", in: zone)
        let note = date.isEmpty ? "" : " <small style=\"opacity:.7\">\(date)</small>"
        html += "<li>\(linked(item.title, item.link))\(note)</li>\n"
      }
      html += "</ul>\n"
    }
    for message in messages { html += "<p>\(escapedMarkup(message))</p>\n" }
    if count > 0 { html += "<p style=\"opacity:.7\">\(total(feeds.count))</p>\n" }
    return html
  }
}

/// A text as a link to a page, or the text alone if there is no page.
func linked(_ text: String, _ link: String) -> String {
  let text = escapedMarkup(text)
  return link.isEmpty ? text : "<a href=\"\(escapedMarkup(link))\">\(text)</a>"
}
