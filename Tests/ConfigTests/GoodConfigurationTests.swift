// A typical configuration, and its settings; examples are others, which LayoutTests read.

import Config
import Core
import Testing

@Suite struct GoodConfigurationTests {
  /// At a desk: many feeds, a counter in the status bar, one popup a feed.
  static let desk = """
    badge: ~/.local/state/bgfetch/badge     # waybar: exec "bgfetch badge --format waybar"
    feeds:
      planet: https://planet.example/atom.xml
      paper: {url: "https://paper.example/full.rss", headers: {Cookie: {command: [pass, show, cookie]}}, auth: {username: me, password: {command: [pass, show, paper]}}}
      work: {url: "https://wiki.corp.example/changes.atom", minimum-interval: 10m, schedule: "*/10 8-18 * * mon-fri"}
      yt-chan: {url: "https://video.example/feeds/videos.xml?channel_id=UCxxxx", minimum-interval: 1h, filter: {exclude: [/shorts/]}}
    hooks:
      desktop: {events: [notification], run: [notify-send, -a, bgfetch, -p, [-r, "{replaces}"], --, "{title}", "{body.markup}"]}
      video: {events: [new-item], feeds: ["yt-*"], run: [/home/me/bin/video, --, "{item.link}"]}
      bar: {events: [badge-changed], run: [pkill, -RTMIN+8, -x, waybar], retries: 0}
    """

  @Test func `the feeds of the desktop example have their own values over the built-in ones`() throws {
    let settings = try #require(reading(Self.desk).settings)

    #expect(problems(Self.desk) == [])
    #expect(settings.feeds.map(\.name.text) == ["planet", "paper", "work", "yt-chan"])
    let planet = try #require(settings.feeds.first)
    #expect(planet.withoutFingerprint == (try feed("planet", "https://planet.example/atom.xml")))

    var paper = try feed("paper", "https://paper.example/full.rss")
    paper.headers = [HeaderSpec(name: "Cookie", value: .secret(.command(["pass", "show", "cookie"])))]
    paper.authentication = .password(username: "me", password: .command(["pass", "show", "paper"]))
    #expect(settings.feeds.all[1].withoutFingerprint == paper)

    var work = try feed("work", "https://wiki.corp.example/changes.atom")
    work.minimumInterval = .every(.minutes(10))
    work.schedule = [try CronExpression(parsing: "*/10 8-18 * * mon-fri")]
    #expect(settings.feeds.all[2].withoutFingerprint == work)

    var video = try feed("yt-chan", "https://video.example/feeds/videos.xml?channel_id=UCxxxx")
    video.minimumInterval = .every(.hours(1))
    video.filter.exclude = ["/shorts/"]
    #expect(settings.feeds.all[3].withoutFingerprint == video)
  }

  @Test func `the desk's hooks are commands with groups that may be left out`() throws {
    let hooks = try #require(reading(Self.desk).settings).hooks

    let desktop = HookSpec(
      name: "desktop", events: [.notification],
      run: [
        .one(Template(literal: "notify-send")), .one(Template(literal: "-a")),
        .one(Template(literal: "bgfetch")), .one(Template(literal: "-p")),
        .optional([Template(literal: "-r"), try Template(parsing: "{replaces}")]),
        .one(Template(literal: "--")), .one(try Template(parsing: "{title}")),
        .one(try Template(parsing: "{body.markup}")),
      ])
    #expect(hooks.first == desktop)
    #expect(hooks[1].feeds == ["yt-*"])
    #expect(hooks[1].events == [.newItem])
    #expect(hooks[2].retries == 0)
    #expect(hooks[2].timeout == .seconds(30))
  }

  @Test func `the paths of the desk are below its home`() throws {
    let path = "/home/me/.config/bgfetch/bgfetch.yaml"
    let settings = try #require(reading(Self.desk, path: path).settings)

    #expect(settings.path == path)
    #expect(settings.documents == "/home/me/.local/share/bgfetch/documents")
    #expect(settings.state == "/home/me/.local/state/bgfetch")
    #expect(settings.badge == "/home/me/.local/state/bgfetch/badge")
    #expect(settings.budget == .minutes(3))
    #expect(settings.network == NetworkSettings())
    #expect(settings.timezone == nil)
  }

  @Test func `the network, the budget, a secret address and a program are as written`() throws {
    let settings = try #require(
      reading(
        """
        budget: 10m
        network: {timeout: 90s, proxy: "socks5h://127.0.0.1:9050"}
        feeds: {patron: {url: {command: [pass, show, patron-url]}}}
        hooks: {tag: {events: [new-item], run: [~/bin/podtag, --, "{item.title}"], timeout: 2m}}
        """, path: "/home/me/bgfetch.yaml"
      ).settings)
    var network = NetworkSettings()
    network.timeout = .seconds(90)
    network.proxy = .url("socks5h://127.0.0.1:9050")

    #expect(settings.network == network)
    #expect(settings.budget == .minutes(10))
    #expect(settings.feeds.first?.url == .secret(.command(["pass", "show", "patron-url"])))
    #expect(settings.hooks[0].run.first == .one(Template(literal: "/home/me/bin/podtag")))
    #expect(settings.hooks[0].timeout == .minutes(2))
  }

  @Test func `an address may have a scheme of feeds in front`() throws {
    let text = "feeds: {a: 'feed://a.example/x', b: 'feed:http://b.example/', c: {url: 'itpc://c.example/'}}"
    let settings = try #require(reading(text).settings)

    #expect(
      settings.feeds.map { $0.address?.text } == [
        "https://a.example/x", "http://b.example/", "https://c.example/",
      ])
  }

  /// A feed with only an address.
  private func feed(_ name: String, _ url: String) throws -> FeedSpec {
    FeedSpec(name: try #require(FeedName(name)), url: .plain(url))
  }
}
