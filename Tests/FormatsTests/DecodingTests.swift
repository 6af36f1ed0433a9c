// Encodings, and recognising the kind of a document.

import Core
import Testing

@testable import Formats

@Suite struct DecodingTests {
  /// The title of a feed whose bytes are `<rss>…<title>`, these bytes, `</title>…`.
  private func title(_ bytes: [UInt8], encoding: String?, contentType: String? = nil) throws -> String? {
    let declaration = encoding.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? ""
    let document =
      Array("\(declaration)<rss><channel><title>".utf8) + bytes + Array("</title></channel></rss>".utf8)
    return try readFeed(document, contentType: contentType, address: nil).title
  }

  @Test(
    arguments: [
      ("utf-8", "café".utf8.map { $0 }, "café"), ("utf8", Array("café".utf8), "café"),
      (nil, Array("café".utf8), "café"), ("iso-8859-1", [0x63, 0x61, 0x66, 0xE9], "café"),
      ("windows-1252", [0x93, 0x61, 0x94], "“a”"), ("windows-1252", [0x61, 0x81, 0x62], "a\u{FFFD}b"),
      ("windows-1251", [0xCF, 0xF0, 0xE8], "При"), ("koi8-r", [0xF0, 0xD2, 0xC9], "При"),
      ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("x-sjis", [0x93, 0xFA], "日"),
      ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"), ("gb2312", [0xD6, 0xD0, 0xB9, 0xFA], "中国"),
      ("gbk", [0xD6, 0xD0], "中"), ("gb18030", [0xD6, 0xD0], "中"), ("big5", [0xA4, 0xA4], "中"),
      ("euc-kr", [0xC7, 0xD1], "한"), ("iso-8859-2", [0xB1], "ą"), ("iso-8859-15", [0xA4], "€"),
      ("windows-1255", [0xF9], "ש"), ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
      // A label that contradicts the bytes is ignored.
      ("utf-8", [0x63, 0x61, 0x66, 0xE9, 0x20, 0x93], "café “"), ("iso-8859-1", Array("café".utf8), "café"),
      ("us-ascii", Array("café".utf8), "café"), ("windows-1251", Array("Привет, мир".utf8), "Привет, мир"),
      ("utf-16", Array("café".utf8), "café"), ("no-such-thing", Array("café".utf8), "café"),
      ("no-such-thing", [0xE9], "é"),
      ("utf-8", Array("é".utf8) + [0x20, 0xE4, 0xBD, 0x20] + [0xFC], "é \u{FFFD} ü"),
      ("../../x", [0xE9], "é"), ("utf-7", Array("+AGE-".utf8), "+AGE-"),
    ] as [(String?, [UInt8], String)])
  func `the declared encoding is understood, unless the bytes contradict it`(
    encoding: String?, bytes: [UInt8], expected: String
  ) throws {
    #expect(try title(bytes, encoding: encoding) == expected)
  }

  @Test(
    arguments: [
      ("text/xml; charset=windows-1251", nil, "При"), ("text/xml; charset=\"windows-1251\"", "utf-8", "При"),
      ("text/xml;Charset = koi8-r ", nil, "оПХ"), ("text/xml; charset=utf-8", "windows-1251", "При"),
      ("text/xml; charset=iso-8859-1", "windows-1251", "При"), ("text/xml", "windows-1251", "При"),
      ("text/xml; charset=", "windows-1251", "При"), ("text/xml; charset=koi8-r", "windows-1251", "оПХ"),
    ] as [(String, String?, String)])
  func `the HTTP field outranks the declaration, unless the bytes contradict it`(
    contentType: String, encoding: String?, expected: String
  ) throws {
    #expect(try title([0xCF, 0xF0, 0xE8], encoding: encoding, contentType: contentType) == expected)
  }

  @Test(arguments: [2, 4], [true, false])
  func `UTF-16 and UTF-32 are recognised with and without a byte order mark`(
    width: Int, isBigEndian: Bool
  ) throws {
    func bytes(_ text: String) -> [UInt8] {
      let units = width == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
      return units.flatMap { unit in
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> UInt32(8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
      }
    }
    let document = "<?xml version='1.0' encoding='utf-16'?><rss><channel><title>é 日 😀</title></channel></rss>"

    #expect(try readFeed(bytes(document), contentType: nil, address: nil).title == "é 日 😀")
    #expect(
      try readFeed(bytes("\u{FEFF}" + document), contentType: "x; charset=utf-8", address: nil).title
        == "é 日 😀")
    #expect(try readFeed(bytes("\u{FEFF}" + document) + [0], contentType: nil, address: nil).title == "é 日 😀")
  }

  @Test func `a byte order mark outranks every label, and an unpaired surrogate becomes U+FFFD`() throws {
    let document =
      [0xEF, 0xBB, 0xBF]
      + Array("<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>é</title></channel></rss>".utf8)
    let wide: [UInt8] = [0xFE, 0xFF, 0xD8, 0x3D, 0, 0x61]

    #expect(try readFeed(document, contentType: "text/xml; charset=big5", address: nil).title == "é")
    #expect(decodedText(wide, contentType: nil) == Array("\u{FFFD}a".utf8))
  }

  @Test(arguments: [
    ("a\u{0}b\u{B}c\u{1F}d", "abcd"), ("a\r\nb\rc\n", "a\nb\nc\n"), ("plain\ttext\n", "plain\ttext\n"),
    ("\r", "\n"), ("0123456\u{1}", "0123456"), ("01234567\u{1}8", "012345678"),
    // Terminal escape sequences, but no markup with them.
    ("\u{1B}[31mred\u{1B}]0;x\u{7}", "red"), ("\u{1B}]8;;http://x\u{1B}\\link", "link"), ("\u{1B}[1 qx", "x"),
    ("\u{1B}[</title>", "[</title>"), ("\u{1B}]0;<b>\u{7}", "]0;<b>"), ("\u{1B}[\"}", "[\"}"), ("\u{1B}", ""),
    ("\u{1B}[31", "[31"), ("\u{1B}]0;x", "]0;x"), ("\u{1B}]0;a\u{1B}[1mb", "]0;ab"),
  ])
  func `control characters and escape sequences are removed, and line ends become LF`(
    text: String, expected: String
  ) {
    #expect(withoutControls(Array(text.utf8)) == Array(expected.utf8))
  }

  @Test func `a title in XML, JSON or HTML loses its terminal escape sequences`() throws {
    let json = #"""
      {"version": "https://jsonfeed.org/version/1.1", "title": "\u001b[31mred\u001b]0;x\u0007\u0007!", "items": []}
      """#
    let html = "<title type='html'>&amp;#27;[31mred &amp;amp; blue</title>"

    #expect(try title(Array("\u{1B}[31mred\u{1B}]0;x\u{7}!".utf8), encoding: "utf-8") == "red!")
    #expect(try read(json).title == "red!")
    #expect(try read(atom(html)).title == "red & blue")
  }

  @Test(arguments: [
    "&#27;[31mred&#x1B;[0m", "&#27;]0;x&#7;red", "&#27;]8;;http://x&#27;\\red", "r&#27;[1 qed&#7;&#27;",
    "&amp;#27;[31mred", "&amp;#27;]0;x&amp;#7;red", "<![CDATA[&#27;[31mred]]>", "<![CDATA[red &#27;[0m]]>",
    "<b>&#27;[31mred</b>",
  ])
  func `terminal escape sequences written with character references are removed`(written: String)
    throws
  {
    let document = """
      <rss version="2.0"><channel><title>\(written)</title><item><guid>\(written)</guid><title>\(written)</title>\
      </item></channel></rss>
      """

    let feed = try readFeed(Array(document.utf8), contentType: nil, address: nil)

    #expect(feed.title == "red")
    #expect(feed.items.first?.title == "red")
    #expect(feed.items.first?.id?.utf8.contains { $0 < 0x20 } == false)
  }

  @Test func `bytes of any value become valid text`() {
    let bytes = (0...255).flatMap { high in (0...255).map { [UInt8(high), UInt8($0)] } }.flatMap { $0 }

    #expect(isValidUTF8(repairedUTF8(bytes)))
  }

  @Test(arguments: [("YQ==", "a"), ("Y W\nI=", "ab"), ("YWJj", "abc"), ("", ""), ("YWJ", "ab"), ("*", nil)])
  func `base64 is decoded, white space in it ignored`(text: String, expected: String?) {
    #expect(Array(text.utf8).withUnsafeBufferPointer { decodedBase64($0) } == expected.map { Array($0.utf8) })
  }
}

@Suite struct RecognitionTests {
  @Test(
    arguments: [
      ("", .empty), (" \n\t\r ", .empty), ("\u{FEFF}", .empty), ("\u{0}\u{0}", .empty),
      ("<html><body>x</body></html>", .html),
      ("<!DOCTYPE html>\n<html lang=en><head><title>Login</title>", .html), ("<!doctype HTML><p>x", .html),
      ("<HTML>", .html), ("<head><title>x</title></head>", .html), ("<div>Please log in</div>", .html),
      ("<html><rss><channel></channel></rss></html>", .html),
      ("<opml version='1.0'><body/></opml>", .unknown("XML whose root is opml")),
      ("<urlset xmlns='x'><url/></urlset>", .unknown("XML whose root is urlset")),
      ("<?xml version='1.0'?><svg><title>x</title></svg>", .unknown("XML whose root is svg")),
      ("hello", .unknown("text that is not a feed")), ("a < b", .unknown("text that is not a feed")),
    ] as [(String, FeedReadingFailure)])
  func `an empty document, a page, other XML and plain text are described`(
    document: String, failure: FeedReadingFailure
  ) {
    #expect(throws: failure) { try read(document) }
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D], "a PNG image"), ([0xFF, 0xD8, 0xFF, 0xE0], "a JPEG image"),
      (Array("GIF89a".utf8), "a GIF image"), (Array("%PDF-1.4".utf8), "a PDF document"),
      (Array("PK\u{3}\u{4}".utf8), "a zip archive"), ([0x1F, 0x8B, 8, 0], "gzip data"),
      (Array("RIFFxxxxWEBP".utf8), "a WebP image"),
    ] as [([UInt8], String)])
  func `a file of another kind is named`(bytes: [UInt8], kind: String) {
    #expect(throws: FeedReadingFailure.other(kind)) { try readFeed(bytes, contentType: nil, address: nil) }
  }
}
