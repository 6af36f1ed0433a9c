// Addresses in which a separator and a combining mark after it are one character of Swift's.

import Core
import Testing

@Suite struct JoinedMarksTests {
  @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
  func `a mark after a separator hides neither user nor query`(mark: String) {
    let masked = URIReference("https://me:geheim@\(mark)host/x?token=\(mark)geheim&\(mark)key=geheim").masked
      .text

    #expect(!masked.contains("geheim"))
  }

  @Test(arguments: ["\u{301}", "\u{200D}"])
  func `the parts of an address are those of its bytes`(mark: String) {
    let text = "https:\(mark)//a/b?\(mark)c#\(mark)d"
    let reference = URIReference(text)

    #expect(reference.text.utf8.elementsEqual(text.utf8))
    #expect(URIReference("//\(mark)a/b").authority == "\(mark)a")
    #expect(reference.query == "\(mark)c")
    #expect(reference.fragment == "\(mark)d")
    #expect(
      URIReference("../x").resolved(against: URIReference("http://h/a/\(mark)b/c")).text.utf8
        .elementsEqual("http://h/a/x".utf8))
  }
}
