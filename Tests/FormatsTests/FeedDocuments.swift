// Documents that many tests need, and a short way to read them.

import Core
import Formats
import Testing

/// Reads a document as if it came from https://site.example/feed without any header.
func read(_ document: String, contentType: String? = nil) throws -> ParsedFeed {
  try readFeed(Array(document.utf8), contentType: contentType, address: "https://site.example/feed")
}

/// An RSS 2.0 document around the inside of its channel, with the usual namespaces.
func rss(_ inside: String) -> String {
  """
  <?xml version="1.0"?>
  <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom"
    xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
  <channel>\(inside)</channel></rss>
  """
}

/// The one item of an RSS 2.0 document around the inside of that item.
func rssItem(_ inside: String) throws -> ParsedItem {
  try #require(read(rss("<item>\(inside)</item>")).items.first)
}

/// An Atom document around the inside of its feed.
func atom(_ inside: String) -> String { "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(inside)</feed>" }

/// The one entry of an Atom document around the inside of that entry.
func atomEntry(_ inside: String) throws -> ParsedItem {
  try #require(read(atom("<entry>\(inside)</entry>")).items.first)
}
