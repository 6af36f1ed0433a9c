// Three typical configurations, and their settings.

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
      desktop: {events: [notification], run: [notify-send, -a, bgfetch, -p, [-r, "{replaces}"], --, "{title}", "{body.markup}"], needs: session-bus}
      video: {events: [new-item], feeds: ["yt-*"], run: [/home/me/bin/video, --, "{item.link}"]}
      bar: {events: [badge-changed], run: [pkill, -RTMIN+8, -x, waybar], retries: 0}
    """

  /// In a machine room: releases, a vendor's incidents, mail, a dead man's switch.
  static let machineRoom = """
    documents: /srv/mirror
    defaults: {first-run: none, notify: {failures: 5}}
    feeds:
      app:
        url: "https://api.code.example/repos/OWNER/APP/releases.atom"
        auth: {bearer: {credential: code}}
      vendor:
        url: "https://status.vendor.example/history.rss"
        minimum-interval: 5m
        updated: notify
        notify: {group: item, title: "{feed}: {item.title}"}
      hosts: {url: "https://cloud.example/hosts.atom", schedule: "15 3 * * *", auth: {username: ops, password: {credential: cloud}}}
    hooks:
      mail: {events: [notification], run: [/usr/sbin/sendmail, -oi, root], stdin: "{body}"}
      alive: {events: [run-finished], run: [curl, -fsS, -m10, "https://hc.example/UUID/{exit-status}"], retries: 0, timeout: 10m}
    """

  /// With a NAS: podcasts, one mail a run.
  static let nas = """
    documents: /mnt/nas/podcasts
    budget: {fetch: 10m, warning: 30s}
    network: {max-feed-size: 64MiB, stall: {below: 4KiB/s, for: 1m}, proxy: "socks5h://127.0.0.1:9050"}
    defaults:
      minimum-interval: 2h
      first-run: {notify: none}
      notify: {group: run, title: "{count} new episodes", body: "{titles}"}
    feeds:
      iot: {url: "https://podcasts.example/iot.rss", title: In Our Time}
      daily: {url: "https://feeds.example/daily", minimum-interval: 30m}
      patron: {url: {command: [pass, show, patron-url]}}
    hooks:
      tag: {events: [new-item], run: [~/bin/podtag, --, "{item.title}", "{feed.title}"], timeout: 2m}
      digest: {events: [notification], run: [/usr/sbin/sendmail, -oi, me], stdin: "{body}"}
    """

  @Test(arguments: [desk, machineRoom, nas])
  func `typical configurations have no mistakes`(text: String) {
    #expect(problems(text) == [])
  }

  @Test func `the feeds of the desktop example have their own values over the built-in ones`() throws {
    let settings = try #require(reading(Self.desk).settings)

    #expect(settings.feeds.map(\.name.text) == ["planet", "paper", "work", "yt-chan"])
    let planet = try #require(settings.feeds.first)
    #expect(planet.withoutFingerprint == (try feed("planet", "https://planet.example/atom.xml")))

    var paper = try feed("paper", "https://paper.example/full.rss")
    paper.headers = [HeaderSpec(name: "Cookie", value: .secret(.command(["pass", "show", "cookie"])))]
    paper.authentication = .basic(username: "me", password: .command(["pass", "show", "paper"]))
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

    var desktop = HookSpec(
      name: "desktop", events: [.notification],
      run: [
        .one(Template(literal: "notify-send")), .one(Template(literal: "-a")),
        .one(Template(literal: "bgfetch")),
        .one(Template(literal: "-p")),
        .optional([Template(literal: "-r"), try Template(parsing: "{replaces}")]),
        .one(Template(literal: "--")), .one(try Template(parsing: "{title}")),
        .one(try Template(parsing: "{body.markup}")),
      ])
    desktop.needsSessionBus = true
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
    #expect(settings.budget == Budget())
    #expect(settings.network == NetworkSettings())
    #expect(settings.timezone == nil)
  }

  @Test func `the machine room's feeds share the failures of defaults and keep their own templates`() throws {
    let settings = try #require(reading(Self.machineRoom).settings)

    #expect(settings.feeds.map { $0.notify?.failures } == [5, 5, 5])
    #expect(settings.feeds.all[0].authentication == .bearer(.credential("code")))
    #expect(settings.feeds.all[1].updated == .notify)
    let vendor = try #require(settings.feeds.all[1].notify)
    #expect(vendor.group == .item)
    #expect(vendor.title == (try Template(parsing: "{feed}: {item.title}")))
    #expect(vendor.body == (try Template(parsing: "{item.title}")))
    #expect(vendor.identifier == (try Template(parsing: "{feed}/{item.id}")))
    #expect(settings.hooks[0].stdin == .text(try Template(parsing: "{body}")))
    #expect(settings.hooks[1].timeout == .minutes(10))
  }

  @Test func `the network and the budget of the NAS are as written`() throws {
    let settings = try #require(reading(Self.nas).settings)

    var network = NetworkSettings()
    network.maxFeedSize = ByteCount(64 << 20)
    network.stall.below = ByteCount(4096)
    network.stall.for = .minutes(1)
    network.proxy = .url("socks5h://127.0.0.1:9050")
    #expect(settings.network == network)
    var budget = Budget()
    budget.fetch = .minutes(10)
    budget.warning = .seconds(30)
    #expect(settings.budget == budget)
    #expect(settings.documents == "/mnt/nas/podcasts")
  }

  @Test func `the NAS's podcasts are announced once a run`() throws {
    let settings = try #require(reading(Self.nas).settings)

    #expect(settings.feeds.map(\.title) == ["In Our Time", nil, nil])
    #expect(
      settings.feeds.map(\.minimumInterval) == [.every(.hours(2)), .every(.minutes(30)), .every(.hours(2))])
    #expect(settings.feeds.all[2].url == .secret(.command(["pass", "show", "patron-url"])))
    let notify = try #require(settings.feeds.all[0].notify)
    #expect(notify.group == .run)
    #expect(notify.title == (try Template(parsing: "{count} new episodes")))
    #expect(notify.identifier == Template(literal: "bgfetch"))
    #expect(settings.hooks[0].run.first == .one(Template(literal: "/home/me/bin/podtag")))
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
    var feed = FeedSpec(name: try #require(FeedName(name)), url: .plain(url))
    feed.notify?.title = try Template(parsing: "{feed.title}: {count} new")
    feed.notify?.body = try Template(parsing: "{titles}")
    feed.notify?.item = try Template(parsing: "{item.title}")
    feed.notify?.identifier = try Template(parsing: "{feed}")
    return feed
  }
}
