// `network`: limits and manners of every request.

import Model
import Timing

/// Reads `network` over its defaults.
func readNetwork(_ field: Field, into network: inout NetworkSettings) {
  guard let keys = Section(field, path: "network") else { return }
  let moment = Interval.seconds(1)
  keys.read("connections", into: &network.connections) { $0.wholeNumber(in: 1...1000) }
  keys.read("connections-per-host", into: &network.connectionsPerHost) { $0.wholeNumber(in: 1...100) }
  keys.read("delay-per-host", into: &network.delayPerHost) { $0.interval(atMost: .hours(1)) }
  keys.read("connect-timeout", into: &network.connectTimeout) {
    $0.interval(atLeast: moment, atMost: .hours(1))
  }
  keys.read("timeout", into: &network.timeout) { $0.interval(atLeast: moment, atMost: .days(1)) }
  keys.read("max-feed-size", into: &network.maxFeedSize) { $0.size(atLeast: ByteCount(1)) }
  keys.read("max-redirects", into: &network.maxRedirects) { $0.wholeNumber(in: 0...50) }
  keys.read("private-addresses", into: &network.privateAddresses) { $0.privateAddressRule() }
  keys.read("freshness-limit", into: &network.freshnessLimit) { $0.interval() }
  keys.read("proxy", into: &network.proxy) { $0.proxyRule() }
  keys.read("user-agent", into: &network.userAgent) { $0.headerValue() }
  keys.read("ca-file", into: &network.caFile) { $0.certificates() }
  if let stall = keys["stall"].flatMap({ Section($0, path: "network.stall") }) {
    stall.read("below", into: &network.stall.below) { $0.size(atLeast: ByteCount(0), suffix: "/s") }
    stall.read("for", into: &network.stall.for) { $0.interval(atLeast: moment, atMost: .days(1)) }
  }
}

extension Field {
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

  /// A file of certificates; nil inside is the system's.
  fileprivate func certificates() -> String?? {
    if isText, text() == "system" { return .some(nil) }
    return path(or: " or system").map { .some($0) }
  }
}
