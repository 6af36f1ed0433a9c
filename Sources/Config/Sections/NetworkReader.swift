// `network`: limits and rules for every request, at the top level and under feeds.

import Core

/// Reads the top level's `network` over the built-in values.
func readNetwork(_ field: Field, into network: inout NetworkSettings) {
  guard let keys = Section(field, path: "network") else { return }
  keys.read("connections", into: &network.connections) { $0.wholeNumber(in: 1...1000) }
  keys.read("rate-limit", into: &network.rateLimit, unset: nil) { $0.rateLimit() }
  NetworkKeys(keys: keys, standard: nil).read(into: &network)
  warnOfLowRate(keys["rate-limit"], network)
}

/// Warns of a rate limit below the rate at which transfers count as stalled.
private func warnOfLowRate(_ field: Field?, _ network: NetworkSettings) {
  guard let field, let limit = network.rateLimit, limit < network.stall.below else { return }
  field.pass.warn(
    "rate-limit \(limit.written)/s is less than stall.below \(network.stall.below.written)/s, so every transfer would "
      + "count as stalled", at: field.node.place, cure: "write a higher limit, or stall: {below: 0B/s}")
}

extension Field {
  /// Reads the `network` of a feed or of `defaults` over earlier values; `none` means the top level's value.
  func readNetwork(into network: inout NetworkSettings, over standard: NetworkSettings) {
    guard let keys = Section(self, path: "network") else { return }
    for field in KeyTable.keysOfRun.sorted().compactMap({ keys[$0] }) {
      let other = field.name == "connections" ? ", or use connections-per-host here" : ""
      pass.report(
        "\(field.name) applies to the whole run, not to one feed", at: field.keyPlace,
        cure: "move it to the top-level network:" + other)
    }
    NetworkKeys(keys: keys, standard: standard).read(into: &network)
  }
}

/// The keys that the top level and feeds share.
private struct NetworkKeys {
  let keys: Section
  /// The meaning of `none`; nil if it is not allowed.
  let standard: NetworkSettings?

  func read(into network: inout NetworkSettings) {
    let second = Interval.seconds(1)
    let earlierStall = network.stall
    read("connections-per-host", \.connectionsPerHost, &network) { $0.wholeNumber(in: 1...100) }
    read("delay-per-host", \.delayPerHost, &network) { $0.interval(atMost: .hours(1)) }
    read("connect-timeout", \.connectTimeout, &network) { $0.interval(atLeast: second, atMost: .hours(1)) }
    read("timeout", \.timeout, &network) { $0.interval(atLeast: second, atMost: .days(1)) }
    read("max-feed-size", \.maxFeedSize, &network) { $0.size(atLeast: ByteCount(1)) }
    read("max-redirects", \.maxRedirects, &network) { $0.wholeNumber(in: 0...50) }
    read("private-addresses", \.privateAddresses, &network) { $0.privateAddressRule() }
    read("freshness-limit", \.freshnessLimit, &network) { $0.interval() }
    read("user-agent", \.userAgent, &network) { $0.headerValue() }
    read("ca-file", \.caFile, &network) { $0.certificates() }
    read("stall", \.stall, &network) { $0.stallLimit(over: earlierStall, standard: standard?.stall) }
    // Here `none` is a value of its own.
    keys.read("proxy", into: &network.proxy) { $0.proxyRule() }
  }

  private func read<Value>(
    _ key: String, _ path: WritableKeyPath<NetworkSettings, Value>, _ network: inout NetworkSettings,
    _ read: (Field) -> Value?
  ) {
    guard let field = keys[key] else { return }
    if let standard, field.node.isNone {
      network[keyPath: path] = standard[keyPath: path]
    } else if let new = read(field) {
      network[keyPath: path] = new
    }
  }
}

extension Field {
  fileprivate func rateLimit() -> ByteCount? {
    size(atLeast: ByteCount(1), suffix: "/s", or: ["none"])
  }

  fileprivate func stallLimit(over earlier: StallLimit, standard: StallLimit?) -> StallLimit? {
    guard let keys = Section(self, path: "network.stall") else { return nil }
    var stall = earlier
    if let below = keys["below"] {
      stall.below =
        below.orStandard(standard?.below) { $0.size(atLeast: ByteCount(0), suffix: "/s") } ?? stall.below
    }
    if let time = keys["for"] {
      stall.for =
        time.orStandard(standard?.for) { $0.interval(atLeast: .seconds(1), atMost: .days(1)) } ?? stall.for
    }
    return stall
  }

  private func orStandard<Value>(_ standard: Value?, _ read: (Field) -> Value?) -> Value? {
    if let standard, node.isNone { return standard }
    return read(self)
  }

  fileprivate func privateAddressRule() -> PrivateAddressRule? {
    guard isText else { return networks().map { .networks($0) } }
    return choice([("same-as-feed", .sameAsFeed), ("allow", .allow), ("refuse", .refuse)])
  }

  fileprivate func proxyRule() -> ProxyRule? {
    if isText, let word = text() {
      if word == "environment" { return .environment }
      if word == "none" { return ProxyRule.none }
    }
    return proxyAddress().map { .url($0) }
  }

  /// A file of certificates; an inner nil is the system's.
  fileprivate func certificates() -> String?? {
    if isText, text() == "system" { return .some(nil) }
    return path(or: " or system").map { .some($0) }
  }
}
