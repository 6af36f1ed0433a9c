// Documents of forges, registries and status pages, read by typical mappings.

import Core
import Formats
import TestKit
import Testing

@Suite struct MappedFixtureTests {
  @Test func `releases of GitHub fall back to the tag, and to nothing where a draft has no date`() throws {
    let items = try items(
      "github-releases", items: [""],
      [
        .id: ["/id"], .title: ["/name", "/tag_name"], .link: ["/html_url"], .published: ["/published_at"],
        .author: ["/author/login"], .summary: ["/body"], .assets: ["/assets/*/browser_download_url"],
      ])

    #expect(items.map(\.id) == ["190000003", "190000002", "190000001"])
    #expect(items.map(\.title) == ["2.1.0 draft", "v2.1.0-rc.1", "Two & counting"])
    #expect(items.map { $0.published?.rfc3339 } == [nil, "2026-11-19T09:30:00Z", "2026-10-01T08:00:00Z"])
    #expect(items.map(\.author) == ["octo", "build[bot]", "octo"])
    #expect(items[1].summary?.hasPrefix("## What's Changed") == true)
    #expect(items.map { $0.enclosures.count } == [0, 2, 1])
    #expect(
      items[2].enclosures[0].url
        == "https://api.site.example/owner/app/releases/download/v2.0.0/app-linux-amd64.tar.gz")
  }

  @Test func `releases of GitLab have files in two places, and the first one with files counts`()
    throws
  {
    let items = try items(
      "gitlab-releases", items: [""],
      [
        .id: ["/tag_name"], .title: ["/name"], .link: ["/_links/self"], .published: ["/released_at"],
        .assets: ["/assets/links/*/direct_asset_url", "/assets/sources/*/url"],
      ])

    #expect(items.map(\.id) == ["v16.1"])
    #expect(items[0].published?.rfc3339 == "2026-11-03T11:00:00Z")
    #expect(
      items[0].enclosures.map(\.url)
        == ["https://lab.example/group/app/-/releases/v16.1/downloads/bin/linux"])
  }

  @Test func `releases of Forgejo may have empty names, null for no files and the year 1 for no date`() throws
  {
    let items = try items(
      "forgejo-releases", items: [""],
      [
        .id: ["/id"], .title: ["/name", "/tag_name"], .published: ["/published_at", "/created_at"],
        .author: ["/author/full_name", "/author/login"], .assets: ["/assets/*/browser_download_url"],
      ])

    #expect(items.map(\.title) == ["v9.0.2", "9.0.1"])
    #expect(items.map { $0.published?.rfc3339 } == ["2026-11-01T11:00:00Z", nil])
    #expect(items.map(\.author) == ["earl", "Earl Grey"])
    #expect(items.map { $0.enclosures.count } == [1, 0])
  }

  @Test func `an incident of Statuspage has the text of its latest update`() throws {
    let items = try items(
      "statuspage-incidents", items: ["/incidents"],
      [
        .id: ["/id"], .title: ["/name"], .link: ["/shortlink"], .published: ["/created_at"],
        .updated: ["/updated_at"], .summary: ["/incident_updates/0/body"], .author: ["/components/*/name"],
      ])

    #expect(items.map(\.summary) == ["A fix is in place."])
    #expect(items[0].published?.rfc3339 == "2026-11-21T14:14:00Z")
    #expect(items[0].updated?.rfc3339 == "2026-11-21T15:00:00Z")
    #expect(items[0].author == "API, Web")
  }

  @Test func `a project of PyPI is one item, its latest release, or the files of its releases are items`()
    throws
  {
    let latest = try items(
      "pypi-project", items: [""],
      [
        .id: ["/info/version"], .title: ["/info/version"], .link: ["/info/release_url"],
        .published: ["/urls/0/upload_time_iso_8601"], .assets: ["/urls/*/url"],
      ])
    let files = try items(
      "pypi-project", items: ["/releases/*"],
      [.id: ["/filename"], .title: ["/filename"], .link: ["/url"], .published: ["/upload_time_iso_8601"]])

    #expect(latest.map(\.id) == ["1.10"])
    #expect(latest[0].published?.rfc3339 == "2026-11-01T08:00:00Z")
    #expect(latest[0].enclosures.count == 2)
    #expect(files.map(\.id) == ["tool-1.9.tar.gz", "tool-1.10-py3-none-any.whl", "tool-1.10.tar.gz"])
  }

  @Test func `versions of crates.io link to the file of the crate`() throws {
    let items = try items(
      "crates-io", items: ["/versions"],
      [
        .id: ["/num"], .title: ["/num"], .assets: ["/dl_path"], .published: ["/created_at"],
        .author: ["/published_by/name"],
      ])

    #expect(items.map(\.id) == ["0.3.1", "0.3.0"])
    #expect(items.map(\.author) == ["Ferris", nil])
    #expect(items[0].enclosures.map(\.url) == ["https://api.site.example/api/v1/crates/tool/0.3.1/download"])
  }

  @Test func `only one page of a paged document is read`() throws {
    let items = try items(
      "docker-hub-tags", items: ["/results"],
      [.id: ["/digest"], .title: ["/name"], .updated: ["/last_updated"]])

    #expect(items.map(\.title) == ["latest", "1.27"])
    #expect(items[0].updated?.rfc3339 == "2026-11-20T01:02:03Z")
  }

  @Test func `a timeline of Mastodon has HTML texts`() throws {
    let items = try items(
      "mastodon-timeline", items: [""],
      [
        .id: ["/id"], .title: ["/spoiler_text"], .link: ["/url", "/uri"], .summary: ["/content"],
        .author: ["/account/display_name", "/account/acct"], .assets: ["/media_attachments/*/url"],
      ])

    #expect(items.map(\.id) == ["113500000000000002", "113500000000000001"])
    #expect(items.map(\.title) == [nil, "Food"])
    #expect(items.map { plainText(fromHTML: $0.summary ?? "", limit: 100) } == ["Hello #x & all", ""])
    #expect(items.map(\.author) == ["Ann 🦊", "bob@other.example"])
    #expect(items[1].link == "https://social.example/users/ann/statuses/113500000000000001/activity")
    #expect(items[0].enclosures.map(\.url) == ["https://files.social.example/1.png"])
  }

  @Test func `an error in place of the list is not a feed, and is quoted`() throws {
    #expect(
      throws: FeedReadingFailure.unmapped(
        "json.items finds no items at /releases; "
          + "the document is an object with message, documentation_url, status")
    ) {
      try items("error-object", items: ["/releases"], [.id: ["/id"]])
    }
    #expect(
      throws: FeedReadingFailure.unmapped(
        "json finds /id, /name in none of 1 item; "
          + "the first is an object with message, documentation_url, status")
    ) {
      try items("error-object", items: [""], [.id: ["/id"], .title: ["/name"]])
    }
  }

  /// The items of a fixture under a mapping.
  private func items(
    _ name: String, items: [String], _ parts: [JSONMapping.Part: [String]]
  ) throws -> [ParsedItem] {
    let document = String(decoding: try fixture(named: "json/\(name).json"), as: UTF8.self)
    return try mapped(document, items: items, parts).items
  }
}
