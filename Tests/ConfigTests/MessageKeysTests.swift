// Keys about messages: digests, mail, limits, the form of titles, and how often edits are reported.

import Config
import Testing

@testable import Core

@Suite struct MessageKeysTests {
  private func hook(_ keys: String) throws -> HookSpec {
    let text = "feeds: {planet: https://planet.example/}\nhooks: {morning: {\(keys)}}\n"
    #expect(problems(text) == [])
    let settings = try #require(reading(text).settings)
    return try #require(settings.hooks.first)
  }

  @Test func `a digest collects messages and is mail that may be a week late`() throws {
    let hook = try hook("digest: \"0 7 * * *\", to: me@mail.example, run: [msmtp, -t]")

    #expect(hook.events == [.notification])
    #expect(hook.digest == [try CronExpression(parsing: "0 7 * * *")])
    #expect(hook.stdin == .mail(MailAddresses(to: ["me@mail.example"])))
    #expect(hook.expires == .days(7))
    #expect(hook.retries == 30)
    #expect(hook.run == [.one(Template(literal: "msmtp")), .one(Template(literal: "-t"))])
  }

  @Test func `a digest may have several times, other input and its own placeholders`() throws {
    let hook = try hook(
      "digest: [\"0 7 * * mon-fri\", \"0 9 * * sat,sun\"], stdin: json, expires: 1d, run: [say, --, \"{title}\"]"
    )

    #expect(hook.digest.count == 2)
    #expect(hook.stdin == .json)
    #expect(hook.expires == .days(1))
  }

  @Test func `messages are mail for a hook with to`() throws {
    let hook = try hook(
      "events: [notification], to: [root, me@mail.example], from: bg@mail.example, run: [/usr/sbin/sendmail, -t]"
    )

    #expect(hook.stdin == .mail(MailAddresses(to: ["root", "me@mail.example"], from: "bg@mail.example")))
    #expect(!hook.isDigest)
    #expect(try !self.hook("digest: none, events: [notification], run: [say]").isDigest)
    #expect(hook.expires == .days(7))
  }

  @Test(arguments: [("", 5), ("limit: 1, ", 1), ("limit: 40, ", 40), ("limit: none, ", nil)])
  func `a hook gets five messages a run, or as many as it says`(key: String, limit: Int?) throws {
    #expect(try hook("\(key)events: [notification], run: [say]").limit == limit)
  }

  @Test(arguments: [
    ("updated: silent", false, 86400), ("updated: notify", true, 86400), ("updated: none", false, 86400),
    ("updated: 0s", true, 0), ("updated: 2h", true, 7200), ("title: a", true, 3600),
  ])
  func `updated is a word or a duration`(keys: String, isReported: Bool, seconds: Int64) throws {
    let feed = try ConfigTests.feed(keys, defaults: "{updated: 1h}")

    #expect(feed.updated == UpdatedRule(isReported: isReported, atMost: .seconds(seconds)))
  }

  @Test(arguments: [
    ("", NotificationGroup.feed, "{feed.title}: {count} new", "{titles}", "{item.title}", "{feed}"),
    ("", .item, "{feed.title}", "{item.title}", "{item.title}", "{feed}/{item.id}"),
    ("", .run, "{feeds}: {count} new", "{titles}", "{feed.title}: {item.title}", "bgfetch"),
    ("item: \"• {item.link}\"", .run, "{feeds}: {count} new", "{titles}", "• {item.link}", "bgfetch"),
    // A template is used where it fits.
    (
      "title: \"{count}\", body: \"{item.summary}\", identifier: a", .item, "{feed.title}", "{item.summary}",
      "{item.title}", "a"
    ),
    (
      "title: \"{count}\", body: \"{item.summary}\", identifier: \"{feed}.\"", .feed, "{count}", "{titles}",
      "{item.title}", "{feed}."
    ),
    (
      "title: \"{feed.title}\", body: \"{feeds}\", identifier: \"{feed}.\"", .run, "{feeds}: {count} new",
      "{feeds}", "{feed.title}: {item.title}", "bgfetch"
    ),
    (
      "title: News, body: \"{item.title} {count}\"", .item, "News", "{item.title} {count}", "{item.title}",
      "{feed}/{item.id}"
    ),
  ])
  func `messages name the feed and list titles, unless a template that fits says otherwise`(
    keys: String, group: NotificationGroup, title: String, body: String, item: String, identifier: String
  ) throws {
    let text =
      "feeds: {planet: {url: https://planet.example/, notify: {\(keys)}}}\nhooks: {mail: {to: me}}\n"
    #expect(problems(text) == [])
    let settings = try #require(reading(text).settings)
    let templates = try #require(settings.feeds.map(\.notify).first ?? nil).templates(for: group)

    #expect(templates.title == (try Template(parsing: title)))
    #expect(templates.body == (try Template(parsing: body)))
    #expect(templates.item == (try Template(parsing: item)))
    #expect(templates.identifier == (try Template(parsing: identifier)))
  }

  @Test func `a hook with to is a mail for each item, sent by sendmail`() throws {
    let hook = try hook("to: me@mail.example")

    #expect(hook.events == [.notification])
    #expect(hook.group == .item)
    #expect(hook.stdin == .mail(MailAddresses(to: ["me@mail.example"], from: "me@mail.example")))
    #expect(hook.run == [.one(Template(literal: "sendmail")), .one(Template(literal: "-t"))])
    #expect(hook.mailsArticles)
    #expect(!hook.marksSeen)
  }

  @Test(arguments: [
    ("popup: true", NotificationGroup.feed), ("popup: true, group: item", .item),
    ("events: [notification], run: [say], group: run", .run), ("to: me, group: feed", .feed),
    ("digest: \"0 7 * * *\", to: me, articles: true", .feed),
    ("to: none, events: [notification], run: [say]", .feed),
  ])
  func `what a message covers belongs to its hook`(keys: String, group: NotificationGroup) throws {
    #expect(try hook(keys).group == group)
  }
}
