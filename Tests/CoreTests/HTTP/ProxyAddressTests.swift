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

  @Test(arguments: [
    "http://me:s3cret#pw@h:1", "http://me:s3/cret@h:1", "http://me:s3?cret@h:1", "me:s3@cret@h:1",
    "http://me:s3 cret@h:1", "http://m\\e:s3cret@h:1", "http://12:34/s3cret@h:1", "http://me:s3\tcret@h:1",
    "htp://me:s3cret@h:1", "socks6://me:s3cret@h:1", "ftp://h", "socks5:me:s3cret@h:1", "http:/h:1",
    "http://me:s3cret@h:0", "http://me:s3cret@h:65536", "http://me:s3cret@", "http://me:s3cret@h:port",
    "http://me:s3cret", "http://h h:1", "", "http://", "http://me:s3cret@[::1:1",
  ])
  func `a mistake tells nothing of the address, which may be secret`(text: String) {
    let problem = #expect(throws: TextProblem.self) { try ProxyAddress(text) }
    #expect(
      problem?.text
        == "is not the address of a proxy; write http://HOST:PORT, and %40 for an @ in a password")
  }

  @Test func `user and password are hidden as written and decoded`() throws {
    let hidden = try ProxyAddress("http://alice:s3%23cret@h:1").hidden

    #expect(hidden.masked("alice s3%23cret s3#cret h") == "*** *** *** h")
  }
}
