// Addresses as people type them.

import Core
import Testing

@Suite struct TypedAddressTests {
  @Test(arguments: [
    ("https://lwn.net/feed", ["https://lwn.net/feed"]), ("http://lwn.net", ["http://lwn.net"]),
    ("lwn.net", ["https://lwn.net", "http://lwn.net"]),
    ("  lwn.net\n", ["https://lwn.net", "http://lwn.net"]),
    ("lwn.net/feed?a=1#x", ["https://lwn.net/feed?a=1", "http://lwn.net/feed?a=1"]),
    ("localhost:8080/feed", ["https://localhost:8080/feed", "http://localhost:8080/feed"]),
    ("192.168.1.5/x", ["https://192.168.1.5/x", "http://192.168.1.5/x"]),
    ("feed://lwn.net/x", ["https://lwn.net/x"]), ("feed://http://lwn.net/x", ["http://lwn.net/x"]),
    ("feed:http://lwn.net/x", ["http://lwn.net/x"]),
    ("@user@social.example", ["https://social.example/@user"]),
  ])
  func `an address needs no scheme`(typed: String, tried: [String]) throws {
    #expect(try TypedAddress(typed) == .web(tried.compactMap(WebAddress.init)))
  }

  @Test(arguments: ["/srv/feeds/a.xml", "file:///srv/feeds/a.xml", "file:/srv/feeds/a.xml"])
  func `a file is an absolute path`(typed: String) throws {
    #expect(try TypedAddress(typed) == .file(FileAddress(path: "/srv/feeds/a.xml")))
  }

  @Test(arguments: [
    "", " ", "./x.xml", "ftp://a.example/", "my feed", "https://", "/", "//", "gopher://a",
    "mailto:me@a.example",
  ])
  func `anything else is refused`(typed: String) {
    #expect(throws: TypedAddress.Problem.self) { try TypedAddress(typed) }
  }

  @Test func `a password is refused without showing it`() {
    #expect(throws: TypedAddress.Problem.credentials("https://***@a.example/x?key=***")) {
      try TypedAddress("https://me:secret@a.example/x?key=secret")
    }
  }

  @Test func `http is tried only if https cannot be reached, or the certificate of a private host is wrong`()
    throws
  {
    let (open, own) = (
      try #require(WebAddress("https://a.example/")), try #require(WebAddress("https://nas.lan/"))
    )

    #expect(FetchFailure.refused(host: "a.example").allowsPlainHTTP(to: open))
    #expect(!FetchFailure.tls("bad certificate").allowsPlainHTTP(to: open))
    #expect(FetchFailure.tls("bad certificate").allowsPlainHTTP(to: own))
    #expect(!FetchFailure.status(404).allowsPlainHTTP(to: own))
  }
}
