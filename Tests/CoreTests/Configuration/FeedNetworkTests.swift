// A feed's own network settings in decisions about it.

import Core
import Testing

@Suite struct FeedNetworkTests {
  private func feed(_ change: (inout NetworkSettings) -> Void) throws -> FeedSpec {
    var feed = FeedSpec(
      name: try #require(FeedName("planet")), url: .plain("https://planet.example/atom.xml"))
    change(&feed.network)
    return feed
  }

  @Test func `another User-Agent makes another request, as another header does`() throws {
    let plain = try feed { _ in }.plainAccess?.fingerprint

    #expect(plain != nil)
    #expect(try feed { $0.userAgent = "x" }.plainAccess?.fingerprint != plain)
    #expect(try feed { $0.proxy = .url("http://p.example:3128") }.plainAccess?.fingerprint == plain)
    #expect(try feed { $0.timeout = .seconds(5) }.plainAccess?.fingerprint == plain)
  }

  @Test(arguments: [
    ("planet", true), ("pla*", true), ("?lanet", true), ("@linux", true), ("@linu", false), ("@", false),
    ("linux", false), ("@*", false), ("@Linux", false),
  ])
  func `a feed is selected by name, glob and tag`(word: String, isSelected: Bool) throws {
    #expect(with(try feed { _ in }) { $0.tags = ["news", "linux"] }.isSelected(by: word) == isSelected)
  }
}
