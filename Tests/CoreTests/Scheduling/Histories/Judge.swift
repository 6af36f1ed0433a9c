// When a feed may be requested and when it must be, computed from the rules alone and not from stored values. Each
// response is a promise about the next request.

@testable import Core

/// The time before which a rule forbids a request, and the time from which it no longer does.
///
/// The two differ where a wait has jitter.
struct Promise {
  var earliest: Instant
  var latest: Instant

  /// Whether it is over; a time further ahead than any rule allows comes from a clock that was set back since.
  func isOver(at moment: Instant) -> Bool { latest <= moment || isImpossible(at: moment) }

  func isImpossible(at moment: Instant) -> Bool { latest > moment + .days(7) + .minutes(11) }
}

/// Whether a recorded time counts now; if it is in the future by more than seconds, the clock was set back.
private func counts(_ noted: Instant?, at moment: Instant) -> Bool {
  noted.map { $0 <= moment + .minutes(2) } ?? true
}

/// The rules by which a feed is judged.
enum Rule: CaseIterable {
  case interval, schedule, freshness, rateLimit, backoff

  /// Whether a run may start a feed up to a minute sooner, and wait.
  var isServers: Bool { self == .freshness || self == .rateLimit }
}

/// A response as the judge sees it.
struct Answered {
  enum Kind: Equatable {
    /// 200 or 304, with what `max-age` less `Age` or `Expires` ask for, and the longest of `ttl` and `sy:`.
    case good(maxAge: Interval?, document: Interval?, validators: ValidatorNews)
    /// 429 or 503, with `Retry-After` and `max-age`.
    case limited(status: Int, retryAfter: Interval?, maxAge: Interval?)
    case transient, refused, gone
    /// Offline, or cut by a signal, the budget or a crash: it does not count.
    case uncounted
  }

  /// The validators of a good response; a 304 keeps the old ones, and the freshness of the last document.
  enum ValidatorNews {
    case given, none, kept
  }

  var kind: Kind
  /// The start of the run.
  var run: Instant
  /// When the response was complete.
  var ended: Instant
}

/// One feed's judge.
struct Judge {
  let feed: FeedSpec
  let zone: Zone
  private(set) var promises: [Rule: Promise] = [:]
  /// The hours of UTC that the last document asks to skip.
  private var skipHours: Set<Int> = []
  /// The freshness by `ttl` or `sy:` of the last document.
  private var documentFreshness: Interval?
  /// Whether the server gives validators, as far as is known.
  private var hasValidators = false
  private var failures: [Answered.Kind] = []
  private var lastRun: Instant?
  private var lastCounted: Instant?
  private var firstGone: Instant?

  init(_ feed: FeedSpec, zone: Zone) {
    (self.feed, self.zone) = (feed, zone)
  }

  /// Why a request at `start`, in the run that began at `run`, is forbidden; nil if it is allowed.
  func objection(to start: Instant, run: Instant) -> String? {
    if feed.minimumInterval == .never { return "never" }
    guard counts(lastRun, at: run) else { return nil }
    for (rule, promise) in promises where (rule.isServers ? start : run) < promise.earliest {
      if rule == .rateLimit, promise.isImpossible(at: run) { continue }
      return "\(rule) until \(promise.earliest.rfc3339)"
    }
    return skips(start) ? "skip hours" : nil
  }

  /// Whether no rule postpones the feed when a run begins, so that the run must fetch it.
  func mustBeAsked(at run: Instant) -> Bool {
    // A limit outlives a clock that is set back, as far as its own cap reaches.
    guard feed.minimumInterval != .never, promises[.rateLimit]?.isOver(at: run) ?? true else { return false }
    return !counts(lastRun, at: run) || !skips(run) && promises.values.allSatisfy { $0.latest <= run }
  }

  private func skips(_ moment: Instant) -> Bool {
    skipHours.contains(CivilTime(secondsSince1970: moment.secondsSince1970).hour)
  }
}

extension Judge {
  /// Records a response; `skipHours` are those of its document, nil if there is no document.
  mutating func record(_ answer: Answered, skipHours: Set<Int>?) {
    if answer.kind != .uncounted {
      if !counts(lastRun, at: answer.run) { forget(at: answer.run) }
      lastRun = answer.run
    }
    switch answer.kind {
    case .uncounted: return
    case .good(let maxAge, let document, let validators):
      if let skipHours { (self.skipHours, documentFreshness) = (skipHours, document) }
      if validators != .kept { hasValidators = validators == .given }
      failures = []
      firstGone = nil
      promises = [:]
      count(from: answer.run)
      let freshness = max(min(maxAge ?? .zero, .days(7)), min(documentFreshness ?? .zero, .hours(24)))
      if freshness > .zero { promise(.freshness, for: freshness, from: answer.ended) }
    case .limited(let status, let retryAfter, let maxAge) where status == 429 || retryAfter != nil:
      firstGone = nil
      failures.append(answer.kind)
      limit(answer, retryAfter, maxAge)
    case .limited, .transient, .refused, .gone:
      failures.append(answer.kind == .gone || answer.kind == .refused ? answer.kind : .transient)
      // Only a response ends the count of 410. A transient failure may be one without a response.
      if answer.kind == .refused { firstGone = nil }
      backOff(answer)
    }
  }

  /// Forgets what was recorded under a clock that was set back since, except a limit.
  ///
  /// Older records may stay or go.
  private mutating func forget(at run: Instant) {
    let wasBefore = counts(lastCounted, at: run)
    for (rule, promise) in promises where rule != .rateLimit {
      promises[rule] = wasBefore && rule != .backoff ? Promise(earliest: run, latest: promise.latest) : nil
    }
  }

  /// The promises of interval and schedule after a fetch that did not fail.
  private mutating func count(from run: Instant) {
    lastCounted = run
    let interval = interval
    let floor = run + (interval - Self.slack(of: interval))
    promises[.interval] = Promise(earliest: floor, latest: floor)
    guard !feed.schedule.isEmpty else { return }
    let from = max(floor, run + .seconds(1))
    guard let match = feed.schedule.compactMap({ $0.next(atOrAfter: from, in: zone) }).min() else { return }
    promises[.schedule] = Promise(earliest: match, latest: match)
  }

  /// 5 % of the interval, at least 60 s from 5 m up, at most 2 min.
  private static func slack(of interval: Interval) -> Interval {
    let share = Interval.seconds(min(interval.seconds / 20, 120))
    return interval < .minutes(5) ? share : max(share, .minutes(1))
  }

  private var interval: Interval {
    switch feed.minimumInterval {
    case .every(let interval): interval
    case .everyRun, .never: .zero
    case nil: feed.schedule.isEmpty ? (hasValidators ? .hours(1) : .hours(24)) : .zero
    }
  }

  private mutating func limit(_ answer: Answered, _ retryAfter: Interval?, _ maxAge: Interval?) {
    let length = Judge.limit(retryAfter, maxAge, unnamedInARow: unnamedInARow, unnamed: unnamedInAll)
    promise(.rateLimit, for: length.least, atMost: length.most, from: answer.ended)
    // A limit of a second is a failure too, and after a first failure a feed is not requested for minutes.
    let first = firstBackoff
    let from = answer.run
    promises[.backoff] = Promise(earliest: from, latest: from + first + Self.jitter(on: first))
  }

  /// How long a limit lasts: at least, and at most without jitter.
  static func limit(_ retryAfter: Interval?, _ maxAge: Interval?, unnamedInARow: Int, unnamed: Int)
    -> (least: Interval, most: Interval)
  {
    func doubled(_ count: Int) -> Interval {
      min(.minutes(10 << Int64(min(max(count, 1) - 1, 8))), .hours(24))
    }
    let fresh = min(maxAge ?? .zero, .days(7))
    guard let retryAfter else { return (max(doubled(unnamedInARow), fresh), max(doubled(unnamed), fresh)) }
    return (max(min(retryAfter, .days(7)), fresh), max(min(retryAfter, .days(7)), fresh))
  }

  private static func isUnnamed(_ kind: Answered.Kind) -> Bool {
    if case .limited(429, nil, _) = kind { true } else { false }
  }
  private var unnamedInARow: Int { failures.reversed().prefix(while: Self.isUnnamed).count }
  private var unnamedInAll: Int { failures.filter(Self.isUnnamed).count }

  private var firstBackoff: Interval {
    if feed.minimumInterval == nil, !feed.schedule.isEmpty { return .minutes(15) }
    return max(.minutes(5), min(interval, .minutes(15)))
  }

  private mutating func backOff(_ answer: Answered) {
    // The least wait is by the failures of this kind in a row, the longest by all failures in a row.
    let kind = answer.kind == .refused || answer.kind == .gone ? answer.kind : .transient
    let alike = failures.reversed().prefix { $0 == kind }.count
    let first = kind == .transient ? firstBackoff : .hours(4)
    func wait(_ count: Int) -> Interval {
      min(.seconds(first.seconds << Int64(min(count - 1, 12))), .hours(24))
    }
    var (least, most) = (wait(alike), wait(failures.count))
    if kind == .gone {
      let since = firstGone.map { answer.ended.since($0) } ?? .zero
      firstGone = firstGone ?? answer.ended
      least = .hours(24)
      most = failures.filter { $0 == .gone }.count > 1 ? .days(30) : .hours(24)
      if since >= .hours(24), alike == 2, failures.count == 2 { least = .days(30) }
    }
    promises[.backoff] = Promise(
      earliest: answer.run + least, latest: answer.run + most + Self.jitter(on: most))
  }

  private mutating func promise(
    _ rule: Rule, for length: Interval, atMost most: Interval? = nil, from moment: Instant
  ) {
    // Moments are whole seconds, so a wait may last up to a second longer.
    let late = most.map { $0 + Self.jitter(on: $0) } ?? length
    promises[rule] = Promise(earliest: moment + length, latest: moment + late + .seconds(1))
  }

  /// The most that is added to a wait: 10 %, at most 10 min.
  static func jitter(on wait: Interval) -> Interval { .seconds(min(wait.seconds / 10, 600)) }
}

/// A host's judge: a 429 to one feed limits all of its feeds for an hour at most, and one to a second feed in full.
struct HostJudge {
  private var promise: Promise?
  private var noted: Instant?
  private var limitedBy: FeedName?
  /// Whether the last response of the host was that limit.
  private var isLast = false

  /// Why a request for any of its feeds is forbidden; nil if it is allowed.
  func objection(to start: Instant, run: Instant) -> String? {
    guard let promise, counts(noted, at: run), start < promise.earliest, !promise.isImpossible(at: run) else {
      return nil
    }
    return "host limit until \(promise.earliest.rfc3339)"
  }

  /// Whether the host certainly may be requested.
  func isFree(at run: Instant) -> Bool { promise?.isOver(at: run) ?? true }

  /// Records a response to a feed of the host.
  mutating func record(_ answer: Answered, to feed: FeedName) {
    guard case .limited(429, let retryAfter, let maxAge) = answer.kind else {
      if answer.kind != .uncounted { isLast = false }
      if case .good = answer.kind, let promise, promise.latest <= answer.run { self.promise = nil }
      return
    }
    let isSecond = limitedBy.map { $0 != feed } ?? false
    let length = Judge.limit(retryAfter, maxAge, unnamedInARow: 1, unnamed: 9)
    let least = isSecond && isLast ? length.least : min(length.least, .hours(1))
    let most = isSecond ? length.most : min(length.most, .hours(1))
    let former = promise.flatMap { $0.isImpossible(at: answer.run) ? nil : $0 }
    let latest = answer.ended + most + Judge.jitter(on: most) + .seconds(1)
    promise = Promise(
      earliest: max(answer.ended + least, former?.earliest ?? answer.ended),
      latest: max(latest, former?.latest ?? latest))
    limitedBy = feed
    isLast = true
    noted = answer.ended
  }
}
