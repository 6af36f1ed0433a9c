// Addresses of proxies, and the mistakes in them.

import Core
import Testing

@Suite struct ProxyAddressTests {
  @Test(arguments: [
    "p:1", "proxy.example", "http://p", "HTTP://p:3128/", "socks5h://127.0.0.1:9050", "https://[::1]:1",
    "socks://p:1", "me:s%23cret@p:1", "http://me:s:cret@p:1", "http://me@p", "socks:1",
    "http://grüße:s\u{301}ecret@p:1",
  ])
  func `an address that libcurl understands as it is meant`(text: String) throws {
    #expect(try ProxyAddress(text).text == text)
  }

  @Test(
    arguments: [
      ("http://me:s3cret#pw@h:1", user), ("http://me:s3/cret@h:1", user),
      ("http://me:s3?cret@h:1", user), ("me:s3@cret@h:1", user),
      ("http://me:s3 cret@h:1", user),
      ("http://m\\e:s3cret@h:1", user), ("http://12:34/s3cret@h:1", user),
      ("http://me:s3\tcret@h:1", user),
      ("htp://me:s3cret@h:1", scheme), ("socks6://me:s3cret@h:1", scheme),
      ("ftp://h", scheme), ("socks5:me:s3cret@h:1", scheme), ("http:/h:1", scheme),
      ("http://me:s3cret@h:0", noAddress), ("http://me:s3cret@h:65536", noAddress),
      ("http://me:s3cret@", noAddress), ("http://me:s3cret@h:port", noAddress),
      ("http://me:s3cret", noAddress), ("http://h h:1", noAddress), ("", noAddress), ("http://", noAddress),
      ("http://me:s3cret@[::1:1", noAddress),
    ])
  func `a mistake is named, and nothing of the address that may be secret`(text: String, mistake: String) {
    let problem = #expect(throws: TextProblem.self) { try ProxyAddress(text) }
    #expect(problem?.text == mistake)
  }

  @Test func `user and password are hidden as written and decoded`() throws {
    let hidden = try ProxyAddress("http://alice:s3%23cret@h:1").hidden

    #expect(hidden.masked("alice s3%23cret s3#cret h") == "*** *** *** h")
  }
}

private let user =
  "has a character in the user name or password that ends it; write it percent-encoded, as %40 for @"
private let scheme = "does not begin with the scheme of a proxy; write http://HOST:PORT"
private let noAddress = "has no valid host and port; write http://HOST:PORT, with a port from 1 to 65535"
