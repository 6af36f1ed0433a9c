// `push`, `adapt` and `notify.delay` of a feed.

import Config
import Core
import Testing

@Suite struct PushKeyTests {
  private func push(_ keys: String, defaults: String = "{}") throws -> PushSpec {
    try feed("push: \(keys)", defaults: defaults).push
  }

  @Test(arguments: ["{}", "none", "{url: none, description: none, limit: none}", "~"])
  func `by default a push fetches the feed, up to six times an hour`(keys: String) throws {
    let push = try push(keys)

    #expect(push == PushSpec())
    #expect(push.limit == PushLimit(count: 6, interval: .hours(1)))
  }

  @Test(arguments: [
    "https://planet.example/downloads/{content-id}.mp3", "http://127.0.0.1:8080/{a}", "https://[fd00::1]/{a}",
    "https://planet.example/fixed.mp3", "https://planet.example?{a}", "https://planet.example/x?y={a}&z={b}",
    "https://planet.example/{feed}/{a}{b}", "HTTPS://planet.example:443/{2nd-part}",
    "https://planet.example/{{{a}}}", "http://router.lan/{a}",
  ])
  func `a template with placeholders after the host is an address`(url: String) throws {
    #expect(try push("{url: \"\(url)\"}").url == Template(parsing: url))
  }

  @Test(
    arguments: [
      ("1/1s", 1, .seconds(1)), ("1000/30d", 1000, .days(30)), ("3/1h30m", 3, .minutes(90)),
      ("none", 6, .hours(1)),
    ] as [(String, Int, Interval)])
  func `a limit is a number in a time`(text: String, count: Int, interval: Interval) throws {
    #expect(try push("{limit: \(text)}").limit == PushLimit(count: count, interval: interval))
  }

  private static let full = "{push: {url: \"https://p.example/{a}\", description: \"E {a}\", limit: 3/1d}}"

  @Test func `a feed that is a file takes from defaults only how often pushes fetch it`() throws {
    let push = try feed("kind: asset", defaults: Self.full).push

    #expect(push.url == nil)
    #expect(push.description == nil)
    #expect(push.limit.count == 3)
  }

  @Test func `feeds that add nothing to defaults share their settings, and hooks for files accept pushes`()
    throws
  {
    let feeds = try ConfigTests.feeds(
      "defaults: \(Self.full)\nfeeds: {a: https://a.example/, b: https://b.example/}\n")
    let text = """
      feeds: {planet: {url: "https://planet.example/", push: {url: "https://p.example/{a}"}}}
      hooks: {tag: {events: [asset-placed], run: [tag, --, "{asset.path}"]}}
      """

    #expect(feeds[0].$push === feeds[1].$push)
    #expect(feeds[0].push.url != nil)
    #expect(problems(text) == [])
  }

  @Test func `the files of pushes are downloaded where nothing else is`() throws {
    let plain = try feed("title: x")
    let pushed = try feed("push: {url: \"https://p.example/{a}\"}")
    let podcast = try feed("push: {url: \"https://p.example/{a}\"}, download: {limit: 3}")

    #expect(plain.transferDownload == nil)
    #expect(pushed.download == nil)
    #expect(pushed.transferDownload == DownloadSpec())
    #expect(podcast.transferDownload?.limit == 3)
  }

  @Test func `a feed adapts to habits where it is asked to`() throws {
    #expect(try feed("title: x").adapt == .none)
    #expect(try feed("adapt: habits").adapt == .habits)
    #expect(try feed("title: x", defaults: "{adapt: habits}").adapt == .habits)
    #expect(try feed("minimum-interval: never", defaults: "{adapt: habits}").adapt == .habits)
    #expect(try feed("adapt: habits, minimum-interval: 2h, schedule: \"*/10 * * * *\"").adapt == .habits)
  }

  @Test(arguments: [("0s", Interval.zero), ("10m", .minutes(10)), ("7d", .days(7))])
  func `a message may be delayed`(text: String, delay: Interval) throws {
    #expect(try feed("notify: {delay: \(text)}").notify?.delay == delay)
    #expect(try feed("title: x").notify?.delay == .zero)
  }
}
