// Text that is escaped for markup stays escaped, whatever comes before it.

import Core
import Testing

@Suite struct EscapingTests {
  /// Scalars that make one character with what follows or precedes them.
  private static let joining = ["", "\u{600}", "\u{110BD}", "\u{D4E}"]
  private static let marks = ["", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{E0020}", "\u{1F3FB}"]

  @Test(arguments: joining, marks)
  func `no character joins an escape`(before: String, after: String) throws {
    let hostile =
      "\(before)<\(after)b\(before)>\(after)\(before)&\(after)\(before)'\(after)\(before)\"\(after)"

    let tooltip = badgeText(1, unseen: [(hostile, 1)], as: .waybar)
    let spec = with(try feed("planet", url: "https://planet.example/")) { $0.title = hostile }
    let simulation = Simulation(of: spec, FeedState(), result: .newData, at: now)
    let request = Request(address: try #require(spec.address), fields: [], network: NetworkSettings())
    let document = String(decoding: try simulation.response(to: request, fetch: 1).get().body, as: UTF8.self)

    let scalars = Array(tooltip.unicodeScalars)
    #expect(!scalars.contains("<"))
    #expect(!scalars.contains(">"))
    #expect(!scalars.contains("'"))
    #expect(
      tooltip.utf8.split(separator: UInt8(ascii: "&")).dropFirst().allSatisfy { entity in
        ["lt;", "gt;", "amp;", "#39;", "quot;"].contains { entity.starts(with: $0.utf8) }
      })
    let title = try #require(document.unicodeScalars.firstRange(of: "<title>".unicodeScalars)).upperBound
    let end = try #require(document.unicodeScalars.firstRange(of: "</title>".unicodeScalars)).lowerBound
    #expect(!document.unicodeScalars[title..<end].contains { $0 == "<" || $0 == ">" })
  }
}
