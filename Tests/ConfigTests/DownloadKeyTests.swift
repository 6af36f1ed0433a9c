// `download` and `first-run`: what is downloaded, how a feed overrides `defaults`, and what a feed of kind asset allows.

import Config
import Core
import Testing

@Suite struct DownloadKeyTests {
  private func download(_ keys: String, defaults: String = "{}") throws -> DownloadSpec {
    let context = surroundings(["NAS": "/mnt/nas"])
    return try #require(try feed("download: \(keys)", defaults: defaults, context).download)
  }

  @Test func `nothing is downloaded unless it is asked for, and an empty mapping asks for it`() throws {
    #expect(try feed("").download == nil)
    #expect(try feed("download: none").download == nil)
    #expect(try feed("download: {}").download == DownloadSpec())
    #expect(try feed("download: ~").download == DownloadSpec())
    #expect(try feed("", defaults: "{download: {}}").download == DownloadSpec())
    #expect(try feed("download: none", defaults: "{download: {limit: 3}}").download == nil)
  }

  private static let values: [(String, @Sendable (inout DownloadSpec) throws -> Void)] = [
    (
      "{types: [\"audio/*\", Video/MP4, image/svg+xml]}",
      { $0.types = ["audio/*", "video/mp4", "image/svg+xml"] }
    ),
    (
      "{filter: {include: [mp3], exclude: ['\\?ad']}}",
      {
        $0.filter.include = ["mp3"]; $0.filter.exclude = ["\\?ad"]
      }
    ),
    ("{limit: 1}", { $0.limit = 1 }), ("{max-size: 500MiB}", { $0.maxSize = ByteCount(500 << 20) }),
    ("{keep: 1}", { $0.keep.count = 1 }), ("{keep: 90d}", { $0.keep.age = .days(90) }),
    ("{keep: 20GiB}", { $0.keep.size = ByteCount(20 << 30) }), ("{keep: none}", { _ in }),
    (
      "{keep: [20GiB, 30]}",
      {
        $0.keep.count = 30
        $0.keep.size = ByteCount(20 << 30)
      }
    ),
    (
      "{name: \"{feed.title}/{published:%F} {title}{ext}\"}",
      { $0.name = try Template(parsing: "{feed.title}/{published:%F} {title}{ext}") }
    ),
    ("{name: \"{id}-{name}-{index}{ext}\"}", { $0.name = try Template(parsing: "{id}-{name}-{index}{ext}") }),
    ("{name: \"a..b/{title}{ext}\"}", { $0.name = try Template(parsing: "a..b/{title}{ext}") }),
  ]

  @Test(arguments: values.indices)
  func `a key of download is read`(index: Int) throws {
    let (keys, change) = Self.values[index]
    var expected = DownloadSpec()
    try change(&expected)

    #expect(try download(keys) == expected)
  }

  @Test func `a feed of kind asset always downloads, with the settings of defaults`() throws {
    #expect(try feed("kind: asset").download == DownloadSpec())
    #expect(try feed("kind: asset, download: none").download == DownloadSpec())
    #expect(try feed("kind: asset", defaults: "{download: {limit: 3}}").download?.limit == 3)
    #expect(try feed("kind: asset").kind == .asset)
    #expect(try feed("kind: none", defaults: "{kind: asset}").download == nil)
  }

  @Test(
    arguments: [
      ("first-run: none", .none, .none), ("first-run: latest", .latest, .latest),
      ("first-run: all", .all, .all), ("first-run: 3", .newest(3), .newest(3)), ("", .none, .latest),
    ] as [(String, FirstRun, FirstRun)])
  func `first-run sets what is announced and downloaded; without it the latest is downloaded`(
    key: String, announced: FirstRun, downloaded: FirstRun
  ) throws {
    let feed = try ConfigTests.feed(key)

    #expect(feed.firstRun == announced)
    #expect(feed.firstRunDownload == downloaded)
  }

  @Test(arguments: [("ready", NotificationMoment.ready), ("at-once", .atOnce), ("none", .ready)])
  func `a message waits for files or does not`(word: String, moment: NotificationMoment) throws {
    #expect(try feed("notify: {when: \(word)}", defaults: "{notify: {sound: x}}").notify?.readiness == moment)
  }

  @Test func `feeds that add nothing to defaults share their settings`() throws {
    let feeds = try ConfigTests.feeds(
      """
      defaults: {download: {limit: 3}}
      feeds: {a: https://a.example/, b: {url: "https://b.example/", title: B}, c: {url: "https://c.example/", download: {limit: 3}}}
      """)

    #expect(feeds[0].$download === feeds[1].$download)
    #expect(feeds[0].download == feeds[2].download)
    #expect(feeds[0].download?.limit == 3)
  }
}
