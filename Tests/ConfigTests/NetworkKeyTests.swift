// `network` and `tags` of a feed, and how they are merged.

import Config
import Core
import Testing

@Suite struct NetworkKeyTests {
  @Test func `a feed's own network overrides defaults, which override the top level`() throws {
    let networks = try feeds(
      """
      network: {timeout: 90s, user-agent: top, private-addresses: refuse}
      defaults: {network: {private-addresses: same-as-feed, proxy: none}}
      feeds:
        plain: https://a.example/
        own:
          url: https://b.example/
          network: {timeout: 5s, private-addresses: allow}
      """
    ).map(\.network)

    var expected = NetworkSettings()
    expected.timeout = .seconds(90)
    expected.userAgent = "top"
    expected.proxy = .none
    #expect(networks[0] == expected)
    expected.timeout = .seconds(5)
    expected.privateAddresses = .allow
    #expect(networks[1] == expected)
  }

  @Test(arguments: [
    "connections: 3", "delay-per-host: 0s", "rate-limit: none", "user-agent: U", "ca-file: /x",
  ])
  func `most keys of network apply to the whole run`(key: String) {
    let name = key.prefix { $0 != ":" }

    #expect(
      problems("feeds: {a: {url: https://a.example/, network: {\(key)}}}") == [
        "bgfetch.yaml:1:48: unknown key \"\(name)\"; it belongs in network"
      ])
  }

  @Test func `none goes back to the top level, and for a proxy means none`() throws {
    let networks = try feeds(
      """
      network: {timeout: 90s, proxy: "http://proxy.example:3128"}
      defaults: {network: {timeout: 5s, private-addresses: allow}}
      feeds:
        keys: {url: https://a.example/, network: {timeout: none, proxy: none}}
        whole: {url: https://b.example/, network: none}
      """
    ).map(\.network)

    #expect(networks[0].timeout == .seconds(90))
    #expect(networks[0].privateAddresses == .allow)
    #expect(networks[0].proxy == ProxyRule.none)
    #expect(networks[1].timeout == .seconds(90))
    #expect(networks[1].proxy == .url("http://proxy.example:3128"))
  }

  @Test func `feeds without a network of their own share one, and variables with secrets are known`() throws {
    let feeds = try ConfigTests.feeds(
      """
      network: {timeout: 5s}
      feeds: {a: {url: https://a.example/, auth: {bearer: {env: TOKEN}}}, b: {url: https://b.example/, title: B}}
      """)

    #expect(feeds[0].$network === feeds[1].$network)
    #expect(feeds.flatMap(\.secretVariables) == ["TOKEN"])
  }

  @Test(
    arguments: [
      ("none", nil), ("2MiB/s", ByteCount(2 << 20)), ("1KiB/s", ByteCount(1024)),
      ("500KB/s", ByteCount(500_000)),
    ] as [(String, ByteCount?)])
  func `a rate limit is a size a second, or none`(text: String, limit: ByteCount?) {
    let reading = reading("network: {rate-limit: \(text)}\nfeeds: {a: https://a.example/}\n")

    #expect(reading.problems.map(\.text) == [])
    #expect(reading.settings?.network.rateLimit == limit)
  }

  @Test func `tags of a feed replace those of defaults, each once`() throws {
    let feeds = try ConfigTests.feeds(
      """
      defaults: {tags: [news, bücher]}
      feeds:
        a: https://a.example/
        b: {url: https://b.example/, tags: [linux, 2024, linux]}
        c: {url: https://c.example/, tags: none}
      """)

    #expect(feeds.map(\.tags) == [["news", "bücher"], ["linux", "2024"], []])
  }

  @Test func `a hook gets the events of a tag's feeds, and an unused tag causes a warning`() throws {
    let reading = reading(
      """
      feeds: {a: {url: https://a.example/, tags: [linux]}, b: https://b.example/}
      hooks: {h: {events: [failed], run: ["true"], feeds: ["@linux", "@linus", linux]}}
      """)

    #expect(
      reading.problems.map(\.text) == [
        "bgfetch.yaml:2:64: warning: no feed has the tag \"linus\"; did you mean \"@linux\"?",
        "bgfetch.yaml:2:74: warning: no feed is named \"linux\"; write \"@linux\" for the feeds with that tag",
      ])
    let settings = try #require(reading.settings)
    #expect(settings.feeds.map { settings.hooks[0].covers($0) } == [true, false])
  }

  @Test func `free-space is a size`() {
    #expect(reading("feeds: {a: https://a.example/}").settings?.freeSpace == ByteCount(512 << 20))
    #expect(
      reading("feeds: {a: https://a.example/}\nfree-space: 20GiB").settings?.freeSpace == ByteCount(20 << 30))
  }
}
