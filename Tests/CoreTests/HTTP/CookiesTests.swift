// The cookies that a request carries: of a browser's file, and of servers.

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
    return ChainCookies().field(for: try #require(WebAddress(address)), over: cookies)
  }

  @Test(
    arguments: [
      ("https://paper.example/news/today", "paper.example", "news=1; session=abc"),
      ("https://paper.example/news", "paper.example", "news=1; session=abc"),
      ("https://paper.example/newsletter", "paper.example", "session=abc"),
      ("https://paper.example", "paper.example", "session=abc"),
      ("http://paper.example/", "paper.example", nil),
      ("https://files.paper.example/x", "paper.example", "session=abc"),
      ("https://evilpaper.example/", "paper.example", nil), ("https://bank.example/", "paper.example", nil),
      // A cookie of one host alone is not sent to others.
      ("https://www.paper.example/", "www.paper.example", "session=abc; only=2"),
      ("https://paper.example/", "www.paper.example", "session=abc"),
    ] as [(String, String, String?)])
  func `a cookie is sent where its domain, path and security allow it`(
    address: String, host: String, expected: String?
  ) throws {
    #expect(try sent(address, for: host) == expected)
  }

  @Test(arguments: ["", "<html>", "a\tb\tc\n", "# Netscape HTTP Cookie File\n"])
  func `a file without cookies is refused`(text: String) {
    #expect(BrowserCookies(text, for: "paper.example", at: Self.now) == nil)
  }

  /// The cookies that go to an address after a page of `https://www.paper.example/news/today` has set some.
  private func cookies(
    _ fields: [String], to address: String = "https://www.paper.example/news/x",
    from page: String = "https://www.paper.example/news/today"
  ) throws -> String? {
    var cookies = ChainCookies()
    var response = Response(status: 302, fields: fields.map { HeaderField("Set-Cookie", $0) }, body: [])
    response.fields.append(HeaderField("Date", "Wed, 18 May 2033 03:33:20 GMT"))
    cookies.store(response, from: try #require(WebAddress(page)))
    return cookies.field(for: try #require(WebAddress(address)))
  }

  @Test(arguments: [
    ("a=1", "https://www.paper.example/news/x", true),
    (" a = 1 ; HttpOnly", "https://www.paper.example/news/today", true),
    ("a=1; Path=/", "https://www.paper.example/", true),
    ("a=1; Domain=.Paper.Example", "https://paper.example/news/", true),
    ("a=1; domain=www.paper.example", "https://www.paper.example:8443/news/", true),
    ("a=1; Secure", "https://www.paper.example/news/", true),
    ("a=1; Path=x", "http://www.paper.example/news/", true),
    ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.paper.example/news/", true),
    ("a=1; Expires=Thu, 19-May-2033 03:33:20 GMT", "https://www.paper.example/news/", true),
    ("__Host-a=1; Secure; Path=/", "https://www.paper.example/", true),
    ("a=1", "https://paper.example/news/", false), ("a=1", "https://evil.example/news/", false),
    ("a=1", "https://x.www.paper.example/news/", false),
    ("a=1", "https://www.paper.example/newsletter", false),
    ("a=1; Domain=paper.example", "https://otherpaper.example/news/", false),
    ("a=1; Secure", "http://www.paper.example/news/", false),
    ("a=1; Path=/shop", "https://www.paper.example/news/", false),
  ])
  func `a cookie that a server sets goes back to it, and nowhere else`(
    field: String, address: String, isSent: Bool
  ) throws {
    let name = field.hasPrefix("__Host-") ? "__Host-a" : "a"

    #expect(try cookies([field], to: address) == (isSent ? name + "=1" : nil))
  }

  @Test(arguments: [
    "a", "=1", "a=\u{7F}", "a=1; Domain=evil.example", "a=1; Domain=example",
    "a=1; Domain=x.www.paper.example", "a=1; Max-Age=0", "a=1; Max-Age=-1",
    "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "__Secure-a=1",
    "__Host-a=1; Secure; Path=/; Domain=paper.example", "__Host-a=1; Secure",
    "a=" + String(repeating: "x", count: 4096),
  ])
  func `a cookie that the server may not set, or deletes, is dropped`(field: String) throws {
    #expect(try cookies([field]) == nil)
    // None is for an address or for a part of the Internet.
    for (page, domain) in [
      ("http://1.2.3.4/", "0.0.0.4"), ("https://paper.co.uk/", "co.uk"), ("https://nas/", "as"),
    ] { #expect(try cookies(["a=1; Domain=\(domain)"], to: page, from: page) == nil) }
  }

  @Test func `a cookie over http neither is nor replaces a secure one`() throws {
    var cookies = ChainCookies()
    let (http, https) = (try web("http://paper.example/"), try web("https://paper.example/"))
    cookies.store(reply(200, [("Set-Cookie", "a=1; Secure"), ("Set-Cookie", "b=1")]), from: https)
    cookies.store(
      reply(200, [("Set-Cookie", "a=2"), ("Set-Cookie", "b=2"), ("Set-Cookie", "c=2; Secure")]), from: http)

    #expect(cookies.field(for: https) == "a=1; b=2")
    #expect(cookies.field(for: http) == "b=2")
  }

  @Test func `the cookies of a chain are bounded`() throws {
    #expect(try #require(try cookies((0..<200).map { "c\($0)=1" })).split(separator: ";").count == 50)

    let large = try #require(try cookies((0..<9).map { "c\($0)=" + String(repeating: "x", count: 2000) }))
    #expect(large.utf8.count <= 8190)
  }

  @Test func `a server's cookie replaces that of the browser's file, but never a configured one`() throws {
    let file = try #require(BrowserCookies(Self.file, for: "paper.example", at: Self.now))
    let address = try web("https://paper.example/")
    var cookies = ChainCookies()
    cookies.store(reply(302, [("Set-Cookie", "session=new"), ("Set-Cookie", "more=1")]), from: address)

    #expect(cookies.field(for: address, over: file) == "session=new; more=1")
    #expect(cookies.field(for: address, besides: "session=mine; x=y") == "session=mine; x=y; more=1")
    #expect(cookies.field(for: try web("https://else.example/"), besides: "x=y") == nil)
  }
}
