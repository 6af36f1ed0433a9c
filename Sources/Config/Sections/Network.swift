// `network`: limits and rules for every request, at the top level and under feeds.

import Core

extension NetworkSettings {
  static let keys = Keys("network", NetworkSettings()) { keys in
    keys.key(
      "connections", \.connections, .number(1...1000),
      "maximum connections for feeds, and the same number for transfers")
    keys.key(
      "connections-per-host", \.connectionsPerHost, .number(1...100),
      "maximum connections per host for feeds, and the same number for transfers")
    keys.key(
      "delay-per-host", \.delayPerHost, .interval(.zero, .hours(1)),
      "the delay between two requests to the same public host")
    keys.key(
      "connect-timeout", \.connectTimeout, .interval(.seconds(1), .hours(1)), "the time limit for connecting")
    keys.key(
      "timeout", \.timeout, .interval(.seconds(1), .days(1)),
      "the time limit for fetching one feed; transfers have none")
    keys.mapping("stall", \.stall, StallLimit.keys, "when to give up on a slow response")
    keys.key("rate-limit", \.rateLimit, .rateOrNone, "the maximum rate of all transfers together")
    keys.key(
      "max-feed-size", \.maxFeedSize, .size(), "the maximum size of a feed document, after decompression")
    keys.key("max-redirects", \.maxRedirects, .number(0...50), "the maximum number of redirects per fetch")
    keys.key(
      "private-addresses", \.privateAddresses, .privateAddresses,
      "the private addresses that redirects and links may lead to")
    keys.key(
      "freshness-limit", \.freshnessLimit, .interval(),
      "the longest max-age, Expires or ttl to obey; 0s ignores them")
    keys.key("proxy", \.proxy, .proxy, "the proxy")
    keys.optional(
      "user-agent", \.userAgent, .headerValue, default: "bgfetch/VERSION", "the User-Agent header")
    keys.key(
      "ca-file", \.caFile, .pathOrSystem, "the file with the trusted CA certificates")
  }
}

extension StallLimit {
  fileprivate static let keys = Keys("network.stall", StallLimit()) { keys in
    keys.key("below", \.below, .rate(0), "a slower response counts as stalled")
    keys.key("for", \.for, .interval(.seconds(1), .days(1)), "how long a response may stall")
  }
}

extension ValueType<ByteCount?> {
  fileprivate static let rateOrNone = Self(
    "size per second or none", none: .some(nil), write: { $0.map { $0.written + "/s" } ?? "none" }
  ) { field throws(Mistake) in try field.size(atLeast: ByteCount(1), suffix: "/s", or: ["none"]) }
}

extension ValueType<PrivateAddressRule> {
  fileprivate static let privateAddresses = Self(
    "same-as-feed, allow, refuse or list of networks", write: { _ in "same-as-feed" }
  ) { field throws(Mistake) in
    guard field.isText else { return .networks(try field.networks()) }
    return try field.choice([("same-as-feed", .sameAsFeed), ("allow", .allow), ("refuse", .refuse)])
  }
}

extension ValueType<ProxyRule> {
  static let proxy = Self(
    "environment, none or proxy URL", none: ProxyRule.none, write: { _ in "environment" }
  ) { field throws(Mistake) in
    if field.isText, let word = try? field.text(), word == "environment" || word == "none" {
      return word == "none" ? .none : .environment
    }
    return .url(try field.proxyAddress())
  }
}

extension ValueType<String> {
  static let headerValue = Self("text", write: { $0 }) { field throws(Mistake) in try field.headerValue() }
}

extension ValueType<String?> {
  fileprivate static let pathOrSystem = Self("path or system", write: { $0 ?? "system" }) {
    field throws(Mistake) in
    if field.isText, (try? field.text()) == "system" { return nil }
    return try field.path(or: " or system")
  }
}

extension Field {
  /// Reads the top level's `network` over the built-in values.
  func readNetwork(into network: inout NetworkSettings) throws(Mistake) {
    let keys = try NetworkSettings.keys.read(self, into: &network)
    guard let rate = keys["rate-limit"], let limit = network.rateLimit, limit < network.stall.below else {
      return
    }
    rate.warn(
      "rate-limit \(limit.written)/s is less than stall.below \(network.stall.below.written)/s, so every transfer would "
        + "count as stalled", cure: "write a higher limit, or stall: {below: 0B/s}")
  }

  /// Reads the `network` of a feed or of `defaults` over earlier values; `none` means the value of the run.
  func readNetwork(into network: inout NetworkSettings, ofRun run: NetworkSettings) throws(Mistake) {
    let keys = try NetworkSettings.keys.read(self, into: &network, standard: run)
    for field in KeyTable.keysOfRun.sorted().compactMap({ keys[$0] }) {
      let other = field.name == "connections" ? ", or use connections-per-host here" : ""
      pass.report(
        "\(field.name) applies to the whole run, not to one feed", at: field.keyLocation,
        cure: "move it to the top-level network:" + other)
    }
  }
}
