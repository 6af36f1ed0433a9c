// The key `outputs`: files that are written from items.

import Config
import Core
import Testing

@Suite struct OutputKeyTests {
  private func outputs(_ keys: String) -> [OutputSpec]? {
    reading(
      keys + "\nfeeds: {a: {url: \"https://a.example/\", tags: [linux]}}", path: "/home/me/bgfetch.yaml"
    )
    .settings?.outputs
  }

  @Test func `a page has only unseen items, unless it says otherwise`() {
    var page = OutputSpec(path: "/home/me/www/news.html", format: .html)
    page.unseenOnly = true

    #expect(outputs("outputs: {~/www/news.html: {}}") == [page])
    #expect(outputs("") == [])
  }

  @Test func `an output has the keys of the manual`() {
    var all = OutputSpec(path: "/home/me/www/linux.xml", format: .atom)
    all.feeds = ["@linux"]
    all.unseenOnly = true
    all.limit = 200
    all.title = "Linux"
    var page = OutputSpec(path: "/srv/all.html", format: .html)
    page.starredOnly = true

    let found = outputs(
      """
      outputs:
        ~/www/linux.xml: {feeds: ["@linux"], unseen: true, limit: 200, title: Linux}
        /srv/all.html: {unseen: false, starred: true}
      """)

    #expect(found == [all, page])
  }

  @Test(
    arguments: [
      ("a.html", .html), ("a.HTM", .html), ("a.atom", .atom), ("feed.xml", .atom), ("a.b.json", .jsonFeed),
    ] as [(String, OutputFormat)])
  func `the ending of a path decides the format`(name: String, format: OutputFormat) {
    let output = outputs("outputs: {~/\(name): {}}")?.first

    #expect(output?.format == format)
    #expect(output?.unseenOnly == (format == .html))
  }
}
