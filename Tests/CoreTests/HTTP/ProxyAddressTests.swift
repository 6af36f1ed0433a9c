// Addresses of proxies, and the mistakes in them.

import Core
import Testing

@Suite struct ProxyAddressTests {
  @Test(arguments: [
    "p:1", "proxy.example", "http://p", "HTTP://p:3128/", "socks5h://127.0.0.1:9050", "https://[::1]:1",
    "socks://p:1",
    "me:s%23cret@p:1", "http://me:s:cret@p:1", "http://me@p", "socks:1", "http://grüße:s\u{301}ecret@p:1",
  ])
  func `an address that libcurl understands as it is meant`(text: String) throws {
    #expect(try ProxyAddress(text).text == text)
  }

  @Test(
    arguments: [
      ("http://me:s3cret#pw@h:1", .user(UInt8(ascii: "#"))),
      ("http://me:s3/cret@h:1", .user(UInt8(ascii: "/"))),
      ("http://me:s3?cret@h:1", .user(UInt8(ascii: "?"))),
      ("http://me:s3 cret@h:1", .user(UInt8(ascii: " "))),
      ("me:s3@cret@h:1", .user(UInt8(ascii: "@"))), ("http://m\\e:s3cret@h:1", .user(UInt8(ascii: "\\"))),
      ("http://12:34/s3cret@h:1", .user(UInt8(ascii: "/"))), ("http://me:s3\ncret@h:1", .user(10)),
      ("htp://me:s3cret@h:1", .scheme("http")), ("socks6://me:s3cret@h:1", .scheme("socks4")),
      ("ftp://h", .scheme(nil)), ("socks5:me:s3cret@h:1", .scheme("socks5")), ("http:/h:1", .scheme("http")),
      ("http://me:s3cret@h:0", .notAnAddress), ("http://me:s3cret@h:65536", .notAnAddress),
      ("http://me:s3cret@", .notAnAddress),
      ("http://me:s3cret@h:port", .notAnAddress), ("http://me:s3cret", .notAnAddress),
      ("http://h h:1", .notAnAddress),
      ("", .notAnAddress),
      ("http://", .notAnAddress), ("http://me:s3cret@[::1:1", .notAnAddress),
    ] as [(String, ProxyMistake)])
  func `a mistake is named, and nothing of the address that may be secret`(
    text: String, mistake: ProxyMistake
  ) {
    #expect(throws: mistake) { try ProxyAddress(text) }
    #expect(!"\(mistake.text)".contains("cret"))
  }

  @Test func `a byte that has to be encoded is shown with its code`() {
    #expect(
      ProxyMistake.user(UInt8(ascii: "#")).text == (
        "has a \"#\" in the user name or password", "write %23 for it"
      ))
    #expect(ProxyMistake.user(9).text.cure == "write %09 for it")
  }

  @Test func `user and password are hidden as written and decoded`() throws {
    let hidden = try ProxyAddress("http://alice:s3%23cret@h:1").hidden

    #expect(hidden.masked("alice s3%23cret s3#cret h") == "*** *** *** h")
  }
}
