// Heads read line by line, and bytes as text and back.

import Core
import Testing

@testable import Transfer

@Suite struct ResponseHeadTests {
  private func head(_ text: String) -> ResponseHead? {
    var head = ResponseHead()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isTaken = Array((line + "\r\n").utf8).withUnsafeBytes { head.take($0) }
      guard isTaken else { return nil }
    }
    return head
  }

  @Test func `blanks around names and values are removed`() {
    #expect(
      head("HTTP/1.1 200 OK\nA:b\nC :  \t d e \t\n")?.fields == [
        HeaderField("A", "b"), HeaderField("C", "d e"),
      ])
  }

  @Test func `a folded line continues the value`() {
    #expect(
      head("HTTP/1.1 200 OK\nA: b\n   c\n\td\nE: f\n")?.fields == [
        HeaderField("A", "b c d"), HeaderField("E", "f"),
      ])
  }

  @Test func `a field without a value has an empty one`() {
    #expect(head("HTTP/2 204 \nA:\n")?.fields == [HeaderField("A", "")])
  }

  @Test func `a line without a colon is no field`() {
    #expect(head("HTTP/1.1 200 OK\nnonsense\nA: b\n")?.fields == [HeaderField("A", "b")])
  }

  @Test func `only the last of several heads counts`() {
    let head = head("HTTP/1.1 100 Continue\nA: b\n\nHTTP/1.1 200 OK\nC: d\n")

    #expect(head?.status == 200)
    #expect(head?.fields == [HeaderField("C", "d")])
    #expect(head?.isComplete == true)
  }

  @Test func `an interim head alone is not complete`() {
    #expect(head("HTTP/1.1 103 Early Hints\nA: b\n")?.isComplete == false)
  }

  @Test func `a trailer that looks like a head changes nothing`() {
    let head = head("HTTP/1.1 200 OK\nA: b\n\nHTTP/1.1 304 Not Modified\nETag: x\n")

    #expect(head?.status == 200)
    #expect(head?.fields == [HeaderField("A", "b")])
  }

  @Test func `a thousand fields are taken and one more is not`() {
    let fields = (1...1000).map { "X-\($0): v\n" }.joined()

    #expect(head("HTTP/1.1 200 OK\n\(fields)")?.fields.count == 1000)
    #expect(head("HTTP/1.1 200 OK\n\(fields)X: v\n") == nil)
  }

  static let octets: [[UInt8]] = [
    Array("\"plain\"".utf8), Array("ümläut €".utf8), [0xE9], [0x22, 0xE9, 0x22], [0xC3], [0xC3, 0x28],
    [0xF0, 0x9F, 0x98], Array("😀".utf8), Array("\u{EFE9}".utf8), Array("\u{EF80}\u{E000}".utf8),
    [0xED, 0xA0, 0x80],
    [0xFF, 0xFE, 0x80], Array(0x80...0xFF),
  ]

  @Test(arguments: octets)
  func `bytes become text and the same bytes again`(_ bytes: [UInt8]) {
    #expect(OctetText.bytes(OctetText.text(bytes)) == bytes)
  }

  @Test func `UTF-8 stays what it is`() {
    #expect(OctetText.text(Array("ümläut €😀".utf8)) == "ümläut €😀")
  }

  @Test func `an address is percent-encoded but for its host`() {
    let encoded = OctetText.encodedAddress("http://bücher.example/ä\u{EFE9}?ö")

    #expect(encoded == "http://bücher.example/%C3%A4%E9?%C3%B6")
  }
}
