// Which feeds may make an item of another one a repetition.

import Core
import Testing

@Suite struct FeedHomeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    /// The address and site link of the feed whose item came first, and of the other one.
    let first: (address: String?, site: String?)
    let second: (address: String?, site: String?)
    var link = "https://vendor.example/advisory/7"
    let isRepetition: Bool
    var testDescription: String { name }
  }

  private static let evil = "https://evil.example/feed"
  private static let vendor = "https://vendor.example/feed"
  private static let site = "https://vendor.example/"
  private static let proxied = "https://feeds.proxy.example/vendor"

  static let cases: [Case] = [
    Case(name: "a stranger first", first: (evil, nil), second: (vendor, nil), isRepetition: false),
    Case(name: "a stranger second", first: (vendor, nil), second: (evil, nil), isRepetition: true),
    Case(
      name: "a stranger that claims the site first", first: (evil, site), second: (vendor, nil),
      isRepetition: false),
    Case(
      name: "a stranger that claims the site second", first: (vendor, nil), second: (evil, site),
      isRepetition: true),
    Case(
      name: "two planets", first: ("https://one.example/", "https://one.example/"),
      second: ("https://two.example/", "https://two.example/"), isRepetition: true),
    Case(name: "two files", first: (nil, nil), second: (nil, nil), isRepetition: true),
    Case(name: "a site in a file, second", first: (nil, evil), second: (nil, site), isRepetition: false),
    Case(name: "a site in a file, first", first: (nil, site), second: (nil, evil), isRepetition: true),
    Case(name: "behind a proxy, second", first: (evil, nil), second: (proxied, site), isRepetition: false),
    Case(name: "behind a proxy, first", first: (proxied, site), second: (evil, nil), isRepetition: true),
    Case(
      name: "both behind a proxy, and both claim the site", first: (proxied + "2", site),
      second: (proxied, site),
      isRepetition: true),
    Case(
      name: "both behind a proxy, and the first is a stranger", first: (proxied + "2", evil),
      second: (proxied, site), isRepetition: false),
    Case(
      name: "the same claims on another port", first: ("https://feeds.proxy.example:8443/", site),
      second: (proxied, site), isRepetition: false),
    Case(
      name: "two feeds of a site", first: (vendor, site), second: (vendor + "/2", site), isRepetition: true),
    Case(
      name: "two feeds of a subdomain", first: ("https://rss.vendor.example/1", site),
      second: ("https://rss.vendor.example/2", site), isRepetition: true),
    Case(
      name: "the feed of a subdomain first", first: ("https://user.vendor.example/", site),
      second: (vendor, nil),
      isRepetition: false),
    Case(
      name: "the feed of the host above first", first: (vendor, nil),
      second: ("https://blog.vendor.example/feed", nil), link: "https://blog.vendor.example/1",
      isRepetition: false),
    Case(
      name: "www., upper case, a port and the dot of a complete name", first: (evil, nil),
      second: ("https://WWW.Vendor.Example.:8443/feed", nil), isRepetition: false),
    Case(
      name: "a name that only ends alike", first: ("https://myvendor.example/", nil),
      second: (evil, nil), isRepetition: true),
    Case(
      name: "a name that only ends alike, at a site", first: ("https://myvendor.example/", nil),
      second: (vendor, nil), isRepetition: false),
    Case(
      name: "a link with a user", first: (evil, nil), second: (vendor, nil),
      link: "https://vendor.example@evil.example/", isRepetition: true),
    Case(
      name: "no web address", first: (evil, nil), second: (vendor, nil), link: "tag:vendor.example,1",
      isRepetition: true),
  ]

  @Test(arguments: cases)
  func `a feed is silenced only by one that is as close to the link's host`(test: Case) {
    func home(_ feed: (address: String?, site: String?)) -> FeedHome {
      FeedHome(address: feed.address.flatMap(WebAddress.init), link: feed.site)
    }

    #expect(home(test.second).repeats(test.link, of: home(test.first)) == test.isRepetition)
  }
}
