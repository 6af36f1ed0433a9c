// Helpers of these tests: short forms of moments, feeds, states and responses, and rows of decisions.

import Core
import Testing

/// A value with changes.
func with<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
  var value = value
  try change(&value)
  return value
}

/// A moment by its RFC 3339 text.
func at(_ text: String) throws -> Instant { try #require(Instant(rfc3339: text)) }

/// Monday 2026-11-02 10:00:00 UTC, the "now" of most tests.
let now = Instant(secondsSince1970: 1_793_613_600)

/// A feed's name; the text must be one.
func name(_ text: String) throws -> FeedName { try #require(FeedName(text)) }

/// A feed on a public host.
func feed(
  _ text: String = "planet", url: String = "https://planet.example/atom.xml",
  interval: MinimumInterval? = nil, schedule: [String] = [], hours: String? = nil
) throws -> FeedSpec {
  var feed = FeedSpec(name: try name(text), url: .plain(url))
  feed.minimumInterval = interval
  feed.schedule = try schedule.map { try CronExpression(parsing: $0) }
  if let hours { feed.hours = try WeeklyHours(parsing: hours) }
  return feed
}

/// The state of a feed whose last fetch, this long ago, returned a document with an `ETag`.
func fetched(
  _ ago: Interval, before now: Instant = now, _ change: (inout FeedState) -> Void = { _ in }
) -> FeedState {
  var state = FeedState()
  state.lastAsked = now - ago
  state.lastCounted = now - ago
  state.lastSuccess = now - ago
  state.hasBaseline = true
  state.validators.entityTag = "\"1\""
  change(&state)
  return state
}

/// The moment from which on the rules allow the next fetch; nil if only naming makes the feed due.
func nextDue(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> Instant? {
  dueDecision(feed, state, context).dueAt
}

/// A server's freshness that ends at a moment.
func freshness(until moment: Instant) -> ServerFreshness { ServerFreshness(notBefore: moment, source: "ttl") }

/// A rate limit by 429 that ends at a moment.
func limit(until moment: Instant) -> RateLimit { RateLimit(until: moment, withoutRetryAfter: 0, status: 429) }

/// The state of a host with a limit that ends at a moment.
func limitedHost(until moment: Instant) -> HostState { with(HostState()) { $0.limitedUntil = moment } }

/// A feed whose last fetches failed, the last one this long ago.
func failing(_ count: Int, _ backoff: BackoffClass, _ ago: Interval) -> FeedState {
  fetched(.days(9)) {
    $0.lastAsked = now - ago
    ($0.failures, $0.backoffFailures, $0.backoffClass) = (count, count, backoff)
  }
}

/// A run now, in UTC by default.
func context(
  now: Instant = now, zone: Zone = .utc, hosts: [String: HostState] = [:], named: Set<FeedName> = [],
  isForced: Bool = false
) -> PlanningContext {
  PlanningContext(now: now, zone: zone, machine: "test", hosts: hosts, named: named, isForced: isForced)
}

/// An expected decision.
enum Due {
  case yes, no
  /// Due at this moment, or never by itself.
  case at(Instant?)
  case because(DueReason)

  /// Due after this time.
  static func after(_ wait: Interval) -> Due { .at(now + wait) }
  /// Postponed by a rule for this time.
  static func waits(_ rule: DueRule, _ wait: Interval) -> Due {
    .because(.postponed(rule, until: now + wait))
  }
}

/// Expects a decision about a feed in a state; the rule says which row of a table fails.
func expect(
  _ rule: Comment, _ feed: FeedSpec, _ state: FeedState, _ due: Due, _ run: PlanningContext = context(),
  at row: SourceLocation = #_sourceLocation
) {
  let decision = dueDecision(feed, state, run)
  switch due {
  case .yes: #expect(decision.isDue, rule, sourceLocation: row)
  case .no: #expect(!decision.isDue, rule, sourceLocation: row)
  case .at(let moment): #expect(decision.dueAt == moment, rule, sourceLocation: row)
  case .because(let reason): #expect(decision.reason == reason, rule, sourceLocation: row)
  }
}

/// An answer with header fields and no body.
func reply(_ status: Int = 200, _ fields: [(String, String)] = []) -> Response {
  Response(status: status, fields: fields.map { HeaderField($0.0, $0.1) }, body: [])
}

/// A fetch that ends as soon as its run starts.
func attempt(
  _ feed: FeedSpec, at moment: Instant = now, _ response: Response? = nil, host: HostState = HostState()
) -> FetchAttempt {
  var address: WebAddress?
  if case .plain(let text) = feed.url { address = WebAddress(text) }
  return FetchAttempt(
    feed: feed, started: moment, ended: moment, address: address, response: response, hostState: host,
    machine: "test")
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

/// The due and the skipped feeds of a run, planned in one part.
func duePlan(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> (due: [QueuedFeed], skipped: [SkippedFeed]) {
  var plan = PlannedFeeds()
  let skipped = plan.add(feeds, states, context)
  plan.sort()
  return (plan.due, skipped)
}
