// The names that downloaded files have where none is configured.

import Core
import Testing

@Suite struct StandardNameTests {
  @Test func `assets of items are named by date and title, the body of a feed by its own name`() throws {
    let items = try Template(parsing: "{feed}/{published:%Y-%m-%d} {title}{ext}")
    let mapping = JSONMapping(items: [], parts: [:])

    #expect(DownloadSpec.defaultName(for: .feed) == items)
    #expect(DownloadSpec.defaultName(for: .json(mapping)) == items)
    #expect(DownloadSpec.defaultName(for: .asset) == (try Template(parsing: "{feed}/{name}{ext}")))
  }

  @Test func `a configured name wins`() {
    var download = DownloadSpec()
    download.name = Template(literal: "hosts.yaml")

    #expect(download.fileName(for: .asset) == Template(literal: "hosts.yaml"))
    #expect(DownloadSpec().fileName(for: .asset) == DownloadSpec.defaultName(for: .asset))
  }
}
