// Items as an Atom feed (RFC 4287).

import Core

/// Writes a publication as an Atom feed.
///
/// Each entry names its feed as `source`, so that a reader can show where it is from.
public func atomFeed(_ publication: Publication) -> String {
  var output = """
    <?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">

    """
  output += element("id", publication.id)
  output += element("title", publication.title)
  output += element("updated", publication.changed.rfc3339)
  output += element("generator", "bgfetch")
  for (item, id) in publication.identified { output += entry(item, id) }
  return output + "</feed>\n"
}

private func entry(_ published: PublishedItem, _ id: String) -> String {
  let record = published.item.record
  var output = "<entry>\n"
  output += element("id", id)
  output += element("title", itemTitle(record))
  output += element("updated", published.updated.rfc3339)
  output += element("published", record.published?.rfc3339)
  // An entry must have an author (section 4.1.2), and most feeds have none for each item.
  output += "<author>\(element("name", record.author ?? published.feed.title))</author>\n"
  if let link = published.link { output += "<link\(attribute("href", link))/>\n" }
  if let comments = published.comments {
    output += "<link rel=\"replies\" type=\"text/html\"\(attribute("href", comments))/>\n"
  }
  for file in published.enclosures {
    let length = attribute("length", file.length.map { String($0) })
    output +=
      "<link rel=\"enclosure\"\(attribute("href", file.url))\(attribute("type", file.type))\(length)/>\n"
  }
  for category in record.details?.categories ?? [] { output += "<category\(attribute("term", category))/>\n" }
  if let content = published.content {
    output += element("content", content, " type=\"html\"")
  } else if published.link == nil {
    // Without content an entry needs a link (section 4.1.2).
    output += element("content", record.summary ?? itemTitle(record))
  }
  output += element("summary", record.summary)
  output += "<source>\n" + element("id", "urn:bgfetch:" + published.feed.name.text)
  output += element("title", published.feed.title) + element("updated", published.updated.rfc3339)
  if !webLink(published.feed.link).isEmpty { output += "<link\(attribute("href", published.feed.link))/>\n" }
  return output + "</source>\n</entry>\n"
}
