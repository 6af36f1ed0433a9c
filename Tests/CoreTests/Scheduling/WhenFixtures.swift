// Helpers of the tests in this folder: short forms of moments, feeds, states and responses.

import Core
import Testing

/// A moment by its RFC 3339 text.
func at(_ text: String) throws -> Instant {
  try #require(Instant(rfc3339: text))
}

/// Monday 2026-11-02 10:00:00 UTC, the "now" of most tests.
let now = Instant(secondsSince1970: 1_793_613_600)

/// A feed's name; the text must be one.
func name(_ text: String) throws -> FeedName {
  try #require(FeedName(text))
}

/// A feed on a public host.
func feed(
  _ text: String = "planet", url: String = "https://planet.example/atom.xml",
  interval: MinimumInterval? = nil, schedule: [String] = [], freshnessLimit: Interval = .days(7)
) throws -> FeedSpec {
  var feed = FeedSpec(name: try name(text), url: .plain(url))
  feed.minimumInterval = interval
  feed.network.freshnessLimit = freshnessLimit
  feed.schedule = try schedule.map { try CronExpression(parsing: $0) }
  return feed
}

/// The state of a feed whose last fetch, this long ago, returned a document with an `ETag`.
func fetched(_ ago: Interval, before now: Instant = now) -> FeedState {
  var state = FeedState()
  state.lastAsked = now - ago
  state.lastCounted = now - ago
  state.lastSuccess = now - ago
  state.hasBaseline = true
  state.validators.entityTag = "\"1\""
  return state
}

/// A feed whose last fetches failed, the last one this long ago.
func failing(_ count: Int, _ backoff: BackoffClass, _ ago: Interval) -> FeedState {
  var state = fetched(.days(9))
  state.lastAsked = now - ago
  state.failures = count
  state.backoffClass = backoff
  state.backoffFailures = count
  return state
}

/// A run now, in UTC by default.
func context(
  now: Instant = now, zone: Zone = .utc, hosts: [String: HostState] = [:], named: Set<FeedName> = [],
  isForced: Bool = false
) -> PlanningContext {
  PlanningContext(
    now: now, zone: zone, machine: "test", hosts: hosts, named: named, isForced: isForced)
}

/// An answer with header fields and no body.
func reply(_ status: Int = 200, _ fields: [(String, String)] = []) -> Response {
  Response(status: status, fields: fields.map { HeaderField($0.0, $0.1) }, body: [])
}

/// A fetch that ends as soon as its run starts.
func attempt(
  _ feed: FeedSpec, at moment: Instant = now, _ response: Response? = nil, host: HostState = HostState(),
  freshnessLimit: Interval = .days(7)
) -> FetchAttempt {
  var address: WebAddress?
  if case .plain(let text) = feed.url { address = WebAddress(text) }
  return FetchAttempt(
    feed: feed, runStart: moment, ended: moment, address: address, response: response, hostState: host,
    machine: "test", freshnessLimit: freshnessLimit)
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
