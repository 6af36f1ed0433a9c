// One base for many references, compared with the algorithm of RFC 3986.

import Core
import Testing

@Suite struct BaseAddressTests {
  @Test func `references resolve as in RFC 3986, in any order`() {
    let segments = ["", ".", "..", "a", "b.c", "...", "é", "d;e=1"]
    var number = 1
    func next(_ limit: Int) -> Int {
      number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
      return (number >> 8) % limit
    }
    func path() -> String { (0..<next(7)).map { _ in segments[next(segments.count)] }.joined(separator: "/") }
    for _ in 0..<200 {
      let start = ["https://a.example", "https://a.example/", "", "/", "x/", "s:", "//h/"][next(7)]
      let base = URIReference(start + path() + ["", "?q", "#f"][next(3)])
      var shared = BaseAddress(base)
      for _ in 0..<20 {
        let reference = URIReference(
          ["", "", "/", "?", "//h/", "s:/"][next(6)] + path() + ["", "?r", "#g"][next(3)])
        #expect(
          shared.resolve(reference).text == resolved(reference, at: base).text,
          "\(reference.text) at \(base.text)")
      }
    }
  }

  /// RFC 3986 sections 5.2.2 and 5.2.4, over segments.
  private func resolved(_ reference: URIReference, at base: URIReference) -> URIReference {
    var target = reference
    if reference.scheme == nil {
      target.scheme = base.scheme
      if reference.authority == nil {
        target.authority = base.authority
        if reference.path.isEmpty {
          target.path = base.path
          if reference.query == nil { target.query = base.query }
          return target
        }
        if !reference.path.hasPrefix("/") {
          let directory = base.path.lastIndex(of: "/").map { String(base.path[...$0]) } ?? ""
          target.path = (base.authority != nil && base.path.isEmpty ? "/" : directory) + reference.path
        }
      }
    }
    let isAbsolute = target.path.hasPrefix("/")
    var kept: [Substring] = []
    let segments = target.path.split(separator: "/", omittingEmptySubsequences: false)
      .dropFirst(isAbsolute ? 1 : 0)
    for (offset, segment) in segments.enumerated() {
      if segment == ".." { _ = kept.popLast() }
      if segment != ".", segment != ".." {
        kept.append(segment)
      } else if offset == segments.count - 1 {
        kept.append("")
      }
    }
    target.path = (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    return target
  }
}
