import Core
import FeedReading
import Testing

@Suite struct RecognitionTests {
  @Test(arguments: ["", " \n\t\r ", "\u{FEFF}", "\u{0}\u{0}"])
  func `nothing is empty`(document: String) {
    #expect(throws: FeedReadingFailure.empty) { try read(document) }
  }

  @Test(
    arguments: [
      "<html><body>x</body></html>", "<!DOCTYPE html>\n<html lang=en><head><title>Login</title>",
      "<!doctype HTML><p>x", "<HTML>", "<head><title>x</title></head>",
      "<div>Please log in</div>", "<html><rss><channel></channel></rss></html>",
    ])
  func `a page is HTML`(document: String) {
    #expect(throws: FeedReadingFailure.html) { try read(document) }
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D], "a PNG image"), ([0xFF, 0xD8, 0xFF, 0xE0], "a JPEG image"),
      (Array("GIF89a".utf8), "a GIF image"),
      (Array("%PDF-1.4".utf8), "a PDF document"), (Array("PK\u{3}\u{4}".utf8), "a zip archive"),
      ([0x1F, 0x8B, 8, 0], "gzip data"),
      (Array("RIFFxxxxWEBP".utf8), "a WebP image"),
    ] as [([UInt8], String)])
  func `a file of another kind is named`(bytes: [UInt8], kind: String) {
    #expect(throws: FeedReadingFailure.other(kind)) { try readFeed(bytes, contentType: nil, address: nil) }
  }

  @Test(
    arguments: [
      ("<opml version='1.0'><body/></opml>", "XML whose root is opml"),
      ("<urlset xmlns='x'><url/></urlset>", "XML whose root is urlset"),
      ("<?xml version='1.0'?><svg><title>x</title></svg>", "XML whose root is svg"),
      ("hello", "text that is no feed"), ("a < b", "text that is no feed"),
    ])
  func `other XML and plain text are unknown, and it is said what was found`(document: String, found: String)
  {
    #expect(throws: FeedReadingFailure.unknown(found)) { try read(document) }
  }
}
