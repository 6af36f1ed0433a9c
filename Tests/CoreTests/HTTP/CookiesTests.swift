// Which cookies of a browser's file a request carries.

import Testing

@testable import Core

@Suite struct CookiesTests {
  private static let now = Instant(secondsSince1970: 2_000_000_000)

  private static let file = """
    # Netscape HTTP Cookie File
    .paper.example\tTRUE\t/\tTRUE\t2000000001\tsession\tabc
    paper.example\tFALSE\t/news\tFALSE\t0\tnews\t1
    #HttpOnly_www.paper.example\tFALSE\t/\tFALSE\t0\tonly\t2
    .paper.example\tTRUE\t/\tFALSE\t1999999999\told\tx
    .paper.example\tTRUE\t/\tFALSE\t0\tbroken\ta\u{1}b
    .bank.example\tTRUE\t/\tFALSE\t0\tmoney\tsecret
    """

  private func sent(_ address: String, for host: String = "paper.example") throws -> String? {
    let cookies = try #require(BrowserCookies(Self.file, for: host, at: Self.now))
    return cookies.field(for: try #require(WebAddress(address)))
  }

  @Test(
    arguments: [
      ("https://paper.example/news/today", "news=1; session=abc"),
      ("https://paper.example/news", "news=1; session=abc"),
      ("https://paper.example/newsletter", "session=abc"), ("https://paper.example", "session=abc"),
      ("http://paper.example/", nil), ("https://files.paper.example/x", "session=abc"),
      ("https://evilpaper.example/", nil), ("https://bank.example/", nil),
    ])
  func `a cookie is sent where its domain, path and security allow it`(address: String, expected: String?)
    throws
  {
    #expect(try sent(address) == expected)
  }

  @Test func `a cookie of one host alone is not sent to others`() throws {
    #expect(try sent("https://www.paper.example/", for: "www.paper.example") == "session=abc; only=2")
    #expect(try sent("https://paper.example/", for: "www.paper.example") == "session=abc")
  }

  @Test(arguments: ["", "<html>", "a\tb\tc\n", "# Netscape HTTP Cookie File\n"])
  func `a file without cookies is refused`(text: String) {
    #expect(BrowserCookies(text, for: "paper.example", at: Self.now) == nil)
  }
}
