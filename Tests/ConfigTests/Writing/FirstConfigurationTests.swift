// The configuration that `bgfetch add` writes if there is none.

import Config
import Core
import Testing

@Suite struct FirstConfigurationTests {
  static func text(_ hook: FirstHook, documents: String? = nil) -> String {
    let feeds = FeedName("planet").map {
      NamedSubscription(name: $0, subscription: Subscription(url: "https://planet.example/", tags: []))
    }
    return firstConfiguration(with: [feeds].compactMap { $0 }, hook, documents: documents)
  }

  @Test(
    arguments: [.popup, .file("/home/me/my files/news: #1.txt")]
      + [
        MailHook(to: "me@x.example"),
        MailHook(to: "a@x.example, b@x.example", from: "c@x.example", isDigest: true),
      ].compactMap { $0.map(FirstHook.mail) })
  func `the first configuration has no mistakes or warnings, one feed and one hook`(hook: FirstHook) throws {
    let text = Self.text(hook)
    #expect(problems(text) == [])
    let settings = try #require(reading(text).settings)
    #expect(settings.feeds.map(\.name.text) == ["planet"])
    #expect(settings.hooks.count == 1)
    #expect(settings.hooks.map(\.name) == [hook.name])
    #expect(settings.hooks.first?.events == [.notification])
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 7)
    #expect(text.contains("see reference.yaml"))
  }

  @Test func `without a desktop, a program that every machine has writes news to a file`() throws {
    let hook = try #require(
      reading(Self.text(.file("/var/log/my news"))).settings?.hooks.first)

    #expect(hook.run == ["tee", "-a", "/var/log/my news"].map { .one(Template(literal: $0)) })
    #expect(!hook.isPopup)
  }

  @Test func `on a desktop, news is a popup that a click opens`() throws {
    let hook = try #require(reading(Self.text(.popup)).settings?.hooks.first)

    #expect(hook.isPopup)
    #expect(hook.run.isEmpty)
  }

  @Test func `mails of another program go on as a hook, and its files stay where they are`() throws {
    let hook = try #require(MailHook(to: "me@x.example", from: "r2e@x.example", isDigest: true))
    let text = Self.text(.mail(hook), documents: "/srv/my pods")

    #expect(
      text.contains(
        "mail: {to: me@x.example, from: r2e@x.example, digest: \"0 7 * * *\", articles: true} # at 7:00, one mail with all articles"
      ))
    #expect(problems(text) == [])
    #expect(reading(text).settings?.documents == "/srv/my pods")
  }
}
