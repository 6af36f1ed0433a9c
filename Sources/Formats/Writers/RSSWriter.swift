// Items as RSS 2.0, for podcast apps and older feed readers.

import Core

/// Writes a publication as RSS 2.0.
public func rssFeed(_ publication: Publication) -> String {
  var output = """
    <?xml version="1.0" encoding="utf-8"?>
    <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
    <channel>

    """
  output += element("title", publication.title)
  // The standard requires a link and a description.
  output += element("link", "about:blank")
  output += element("description", publication.title)
  output += element("lastBuildDate", rfc822(publication.changed))
  output += element("generator", "bgfetch")
  for (item, id) in publication.identified { output += rssItem(item, id) }
  return output + "</channel>\n</rss>\n"
}

private func rssItem(_ published: PublishedItem, _ id: String) -> String {
  let record = published.item.record
  let details = record.details
  var output = "<item>\n"
  output += element("guid", id, " isPermaLink=\"false\"")
  output += element("title", itemTitle(record))
  output += element("link", published.link)
  output += element("pubDate", rfc822(published.item.date))
  output += element("dc:creator", record.author ?? published.feed.title)
  for category in details?.categories ?? [] { output += element("category", category) }
  output += element("comments", published.comments)
  // Many readers handle only one enclosure; the first one is the episode.
  if let file = published.enclosures.first {
    let type = file.type ?? "application/octet-stream"
    let length = attribute("length", String(file.length ?? 0))
    output += "<enclosure\(attribute("url", file.url))\(length)\(attribute("type", type))/>\n"
  }
  // A description is HTML, and the stored summary is plain text.
  output += element("description", record.summary.map { escapedMarkup($0, for: .html) })
  output += element("content:encoded", published.content)
  output += element("itunes:duration", details?.duration.map { String($0.seconds) })
  output += element("itunes:season", details?.season.map { String($0) })
  output += element("itunes:episode", details?.episode.map { String($0) })
  return output + "</item>\n"
}

/// A date as RSS requires it (RFC 822, with four digits for the year).
private func rfc822(_ moment: Instant) -> String {
  time(moment, "%a, %d %b %Y %H:%M:%S +0000", in: .utc)
}
