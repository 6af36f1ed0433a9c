// Web addresses, references and network addresses.

import Testing

@testable import Core

@Suite struct AddressTests {
  @Test(arguments: [
    ("https://example.org/feed", "https", "example.org", 443),
    ("http://Example.ORG:8080/a?b=c", "http", "example.org", 8080),
    ("HTTPS://user:secret@example.org", "https", "example.org", 443),
    ("http://[::1]:81/x", "http", "::1", 81),
    ("http://example.org:/x", "http", "example.org", 80),
    ("http://example.org?x", "http", "example.org", 80),
  ])
  func `an absolute http or https address has scheme, host and port`(
    text: String, scheme: String, host: String, port: Int
  ) throws {
    let address = try #require(WebAddress(text))

    #expect(address.scheme == scheme)
    #expect(address.host == host)
    #expect(address.port == port)
  }

  @Test(arguments: [
    "", "example.org/feed", "ftp://example.org/", "http:///feed", "http://", "http://exa mple.org/",
    "file:///etc", "http://example.org:0/", "http://example.org:65536/", "http://example.org:8a/",
    "http://[::1", "http://[zz]/", "http://a\nb/", "http://[::1]x/", "//example.org/", "javascript:alert(1)",
    "http://a@b@/", "http://[::1]:+80/", "http://example.org:+80/", "http://example.org:80\u{301}/",
  ])
  func `other text is not a web address`(text: String) {
    #expect(WebAddress(text) == nil)
  }

  @Test func `a fragment is not part of an address, and the user part and values of the query are masked`() {
    #expect(WebAddress("https://example.org/a#b")?.text == "https://example.org/a")
    #expect(
      WebAddress("https://me:pw@example.org/f?token=abc&x&y=1")?.masked
        == "https://***@example.org/f?token=***&***&y=***")
  }

  // RFC 3986 section 5.4, normal and abnormal examples.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("http:g", "http:g"),
  ])
  func `a reference is resolved as in the standard's examples`(reference: String, expected: String) {
    let resolved = URIReference(reference).resolved(against: URIReference("http://a/b/c/d;p?q"))

    #expect(resolved.text == expected)
  }

  @Test(arguments: [
    ("https://a.example", "x", "https://a.example/x"), ("https://a.example", "../x", "https://a.example/x"),
    ("https://a.example?q", "", "https://a.example?q"), ("x/y", "../../z", "z"), ("", "./a", "a"),
    ("s:a/b", "c/./d/..", "s:a/c/"), ("/a//b/", "..", "/a//"), ("/a/é/c", "../.../d;e=1", "/a/.../d;e=1"),
    ("//h/a/../b", "", "//h/a/../b"), ("//h/a/../b", "c", "//h/c"), ("/a", "s:/../b", "s:/b"),
  ])
  func `a base may lack any part`(base: String, reference: String, expected: String) {
    #expect(URIReference(reference).resolved(against: URIReference(base)).text == expected)
  }

  @Test(arguments: [
    "10.1.2.3", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1",
    "0.0.0.0", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "::ffff:7f00:1",
    "64:ff9b::10.0.0.1", "224.0.0.1", "255.255.255.255", "2001:db8::1", "::10.0.0.1", "64:ff9b:1::10.0.0.1",
    "2002:a00:1::1", "2002:808:808::1", "192.88.99.1", "::ffff:0:8.8.8.8", "::ffff:0:192.168.1.1", "2001::1",
    "2001:1::1", "2001:20::1", "2001:1ff:ffff::1", "3fff:fff::1", "5f00::1", "100::1", "100:0:0:1::1",
    "200::1", "1fff:ffff::1", "4000::1", "fec0::1", "ff0e::1",
  ])
  func `an address that is not on the public Internet is private`(text: String) {
    #expect(NetworkAddress(text)?.isPrivate == true)
  }

  @Test(arguments: [
    "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "192.88.98.255", "192.88.100.0", "2001:200::1", "2001:db7:ffff::1", "2000::1",
    "3ffe:ffff::1", "3fff:1000::1",
  ])
  func `other addresses are public`(text: String) {
    #expect(NetworkAddress(text)?.isPrivate == false)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "1.2.3.", "1..2.3", "1.2.3.4.", "0001.2.3.4", "1.2.3.a", "1.2.3.256",
    "256.1.1.1", "a.b.c.d", "1:2:3:4:5:6:7:8:9", ":::", "12345::", "host",
  ])
  func `other text is not a network address`(text: String) {
    #expect(NetworkAddress(text) == nil)
  }

  @Test func `an address is the same after writing and reading its text or its bytes`() throws {
    for text in [
      "10.0.0.1", "255.255.255.255", "::1", "2606:4700::1111", "fe80::1", "2001:db8:0:1:2:3:4:ffff",
    ] {
      let address = try #require(NetworkAddress(text))
      #expect(NetworkAddress(address.description) == address, "\(text)")
      #expect(NetworkAddress(bytes: address.bytes) == address, "\(text)")
    }
    // Mapped bytes become an IPv4 address, and other numbers of bytes are refused.
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1]
    #expect(NetworkAddress(bytes: mapped) == NetworkAddress("10.0.0.1"))
    #expect([0, 3, 5, 15, 17].allSatisfy { NetworkAddress(bytes: [UInt8](repeating: 1, count: $0)) == nil })
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:81/", "127.0.0.1"), ("http://[fd00::1]/", "fd00::1"),
      ("http://localhost/", "127.0.0.1"), ("http://a.localhost./", "127.0.0.1"),
      ("http://localhost.example/", nil), ("http://nas/", nil), ("http://127.1/", "127.0.0.1"),
      ("http://0x7f000001/", "127.0.0.1"),
    ] as [(String, String?)])
  func `a host may be an address literal`(text: String, literal: String?) throws {
    #expect(try #require(WebAddress(text)).literalAddress == literal.flatMap(NetworkAddress.init))
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("192.168.4.0/22", "192.168.7.9", true), ("192.168.4.0/22", "192.168.8.1", false),
    ("fd00::/8", "fdff::1", true), ("10.1.1.1", "10.1.1.1", true), ("10.1.1.1", "10.1.1.2", false),
    ("0.0.0.0/0", "8.8.8.8", true), ("::/0", "8.8.8.8", false),
  ])
  func `a block contains the addresses with the same leading bits`(
    block: String, address: String, isInside: Bool
  )
    throws
  {
    #expect(try #require(AddressBlock(block)).contains(try #require(NetworkAddress(address))) == isInside)
  }

  @Test(arguments: [
    ("https://example.org/", true), ("http://8.8.8.8/", true), ("http://127.0.0.1/", false),
    ("http://nas/", false), ("http://nas.local/", false), ("http://wiki.home.arpa/", false),
    ("http://[fd00::1]/", false),
  ])
  func `a host is public or private by its name`(address: String, isPublic: Bool) {
    #expect(WebAddress(address)?.isPublicHost == isPublic)
  }
}
