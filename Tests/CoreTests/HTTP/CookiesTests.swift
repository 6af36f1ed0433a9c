// The cookies of a browser's file, and the ones that responses add to them.

import Testing

@testable import Core

@Suite struct CookiesTests {
  private static let lines = [
    ".paper.example\tTRUE\t/\tTRUE\t2000000001\tsession\tabc",
    "Paper.example\tFALSE\t/news\tFALSE\t0\tnews\t1",
    "#HttpOnly_www.paper.example\tFALSE\t/\tFALSE\t0\tonly\t2",
    ".bank.example\tTRUE\t/\tFALSE\t0\tmoney\tsecret",
    ".paper.example\tTRUE\t/\tFALSE\t0\tbroken\ta\u{1}b",
  ]
  private static let file = "# Netscape HTTP Cookie File\n" + lines.joined(separator: "\n") + "\n"

  @Test(arguments: [
    ("paper.example", [0, 1]), ("www.paper.example", [0, 2]), ("files.paper.example", [0]),
    ("bank.example", [3]), ("evilpaper.example", []), ("example", []),
  ])
  func `only the cookies of a host are taken from the file`(host: String, expected: [Int]) throws {
    #expect(try #require(CookieJar(Self.file, for: host)).lines == expected.map { Self.lines[$0] })
  }

  @Test(arguments: ["", "<html>", "a\tb\tc\n", "# Netscape HTTP Cookie File\n"])
  func `a file without cookies is refused`(text: String) {
    #expect(CookieJar(text, for: "paper.example") == nil)
  }

  @Test func `the end of a cookie does not make it another one`() {
    let cookie = CookieJar(lines: ["a.example\tFALSE\t/\tFALSE\t2000000000\tid\t1"])

    #expect(cookie.isSent(like: CookieJar(lines: ["a.example\tFALSE\t/\tFALSE\t2000000001\tid\t1"])))
    #expect(!cookie.isSent(like: CookieJar(lines: ["a.example\tFALSE\t/\tFALSE\t2000000000\tid\t2"])))
    #expect(cookie.values == ["1"])
  }

  @Test func `each request has the cookies of the file, as the responses before it have changed them`() throws
  {
    var access = FeedAccess(address: try web("https://paper.example/feed"))
    access.cookies = CookieJar(Self.file, for: "paper.example")
    var chain = RequestChain(
      access, validators: Validators(), network: NetworkSettings(), userAgent: "bgfetch/test")
    #expect(chain.request.cookies == access.cookies)

    var wall = reply(302, [("Location", "/feed")])
    wall.cookies = CookieJar(lines: ["paper.example\tFALSE\t/\tFALSE\t0\tseen\t1"])
    _ = chain.handle(wall)

    #expect(chain.request.cookies == wall.cookies)
    #expect(chain.request.hidden.masked("paper.example") == "paper.example")
  }
}
