// A simulated machine with feeds, servers with random responses, a timer, and a clock that is corrected. It does what a
// run does with the functions of Core, and shows every request to the judges.

@testable import Core

/// One history: the runs of a timer, and their results.
struct RandomWorld {
  private var numbers: SeededNumbers
  private let zone: Zone
  private let timer: Int64
  /// The most fetches of a run; the budget cuts the rest.
  private let budget: Int
  /// Whether this machine's clock is ever set to another time.
  private let hasBadClock: Bool
  private let feeds: [FeedSpec]
  private var states: [FeedName: FeedState] = [:]
  private var hosts: [String: HostState] = [:]
  private var judges: [FeedName: Judge] = [:]
  private var hostJudges: [String: HostJudge] = [:]
  /// The public hosts that answered 429 in the run.
  private var limitedNow: Set<String> = []
  /// Whether every fetch of the run so far counts.
  private var isCounted = true
  /// The number of full runs that left a feed which must be fetched.
  private var waits: [FeedName: Int] = [:]

  /// The seconds that have really passed, and the error of the clock.
  private var passed: Int64 = 0
  private var clockError: Int64 = 0
  /// The first violation, with its history.
  private(set) var finding: String?
  private var story: [(run: Instant, feed: FeedName, kind: Answered.Kind)] = []
  private(set) var fetches = 0

  init(seed: UInt64) throws {
    numbers = SeededNumbers(state: seed)
    zone = Bool.random(using: &numbers) ? .utc : TestZone.berlin
    timer = [60, 60, 120, 300, 420, 600, 900, 1800, 3600].randomElement(using: &numbers) ?? 60
    let count = Int.random(in: 1...4, using: &numbers)
    budget = Int.random(in: 0..<4, using: &numbers) == 0 ? Int.random(in: 1...2, using: &numbers) : .max
    hasBadClock = Int.random(in: 0..<4, using: &numbers) == 0
    var feeds: [FeedSpec] = []
    for number in 0..<count { feeds.append(try RandomWorld.feed(number, &numbers)) }
    self.feeds = feeds
    for feed in feeds { judges[feed.name] = Judge(feed, zone: zone) }
  }

  private static func feed(_ number: Int, _ numbers: inout SeededNumbers) throws -> FeedSpec {
    let host = ["a.example", "a.example", "b.example", "nas"].randomElement(using: &numbers) ?? "a.example"
    let interval: MinimumInterval? =
      [
        nil, nil, .everyRun, .never, .every(.minutes(1)), .every(.minutes(5)), .every(.minutes(20)),
        .every(.hours(1)), .every(.hours(1)), .every(.hours(6)), .every(.days(1)), .every(.days(2)),
      ].randomElement(using: &numbers) ?? nil
    let schedule =
      [[], [], [], ["0 8 * * *"], ["*/10 7-22 * * mon-fri"], ["30 */4 * * *", "5 3 * * sun"]]
      .randomElement(using: &numbers) ?? []
    return try CoreTests.feed(
      "feed\(number)", url: "https://\(host)/\(number)", interval: interval, schedule: schedule)
  }

  private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &numbers) == 0 }

  /// The time that the clock shows.
  private var clock: Instant { Instant(secondsSince1970: now.secondsSince1970 + passed + clockError) }

  /// Simulates this many runs, or until a rule is violated.
  mutating func live(runs: Int) {
    for _ in 0..<runs where finding == nil {
      run()
      // The next tick comes some seconds late, and after a sleep of the machine much later.
      let tick = (passed / timer + 1) * timer
      passed = tick + Int64.random(in: 0...min(40, timer / 4), using: &numbers)
      if chance(40) { passed += .random(in: 0...400_000, using: &numbers) }
      if hasBadClock, chance(15) {
        let steps: [Int64] = [90, 3600, 86_400, 40 * 86_400]
        let step = steps.randomElement(using: &numbers) ?? 0
        clockError = chance(2) ? 0 : Int64.random(in: -step...step, using: &numbers)
      }
    }
  }

  private mutating func run() {
    let start = clock
    let begun = passed
    let plan = duePlan(feeds, states, context(now: start, zone: zone, hosts: hosts))
    // A machine that is offline reaches no host; a crash happens within a fetch.
    let isOffline = chance(25)
    let crash = chance(40) ? Int.random(in: 0..<3, using: &numbers) : Int.max
    let mustBeAsked = Set(
      feeds.filter { feed in
        judges[feed.name]?.mustBeAsked(at: start) ?? false && hostIsFree(feed, at: start)
      }.map(\.name))
    var asked: Set<FeedName> = []
    limitedNow = []
    isCounted = true
    for planned in plan.due {
      guard asked.count < budget else { break }
      guard let feed = feeds.first(where: { $0.name == planned.name }) else { continue }
      // A 429 within the run stops the host's queue.
      guard !limitedNow.contains(hostName(feed)) else { continue }
      let wait = (planned.waitUntil ?? start).since(start)
      if wait > .minutes(1) { found("\(feed.name) is waited for at \(start.rfc3339): \(wait.text)") }
      passed = max(passed, begun + wait.seconds)
      guard judge(feed, run: start) else { return }
      asked.insert(feed.name)
      if asked.count > crash {
        var state = states[feed.name] ?? FeedState()
        state.crashes += 1
        states[feed.name] = state
        return
      }
      fetch(feed, run: start, isOffline: isOffline)
    }
    for feed in feeds where mustBeAsked.contains(feed.name) {
      record(isAsked: asked.contains(feed.name), feed, run: start)
    }
  }

  /// Records whether a feed that must be fetched was, and reports one that was left for too long.
  private mutating func record(isAsked: Bool, _ feed: FeedSpec, run: Instant) {
    guard !isAsked, !limitedNow.contains(hostName(feed)) else {
      waits[feed.name] = 0
      return
    }
    // A run that was cut, or was offline, tries the same feeds again.
    if isCounted { waits[feed.name, default: 0] += 1 }
    // Those more overdue go first, and each of them goes once; after a step of the clock once more.
    let patience = budget == .max ? 0 : feeds.count * (hasBadClock ? 2 : 1)
    // One that crashed two runs goes last, when there is time left.
    if let state = states[feed.name], state.crashes >= 2, budget != .max { return }
    guard waits[feed.name, default: 0] > patience else { return }
    let decision = dueDecision(
      feed, states[feed.name] ?? FeedState(), context(now: run, zone: zone, hosts: hosts))
    found("\(feed.name) must be asked at \(run.rfc3339) and is not: \(decision.reason)")
  }

  private mutating func found(_ text: String) {
    let configuration = feeds.map { feed in
      "\(feed.name) \(feed.url) \(String(describing: feed.minimumInterval)) \(feed.schedule.map(\.text))"
    }
    let lines = story.suffix(40).map { "\($0.run.rfc3339) \($0.feed) \($0.kind)" }
    finding = (configuration + ["timer \(timer)"] + lines + [text]).joined(separator: "\n")
  }

  private func hostName(_ feed: FeedSpec) -> String { feed.address?.host ?? "" }

  private func isPublic(_ feed: FeedSpec) -> Bool { hostName(feed) != "nas" }

  private func hostIsFree(_ feed: FeedSpec, at run: Instant) -> Bool {
    !isPublic(feed) || hostJudges[hostName(feed)]?.isFree(at: run) ?? true
  }

  /// Shows a request to the judges; false if one objects.
  private mutating func judge(_ feed: FeedSpec, run: Instant) -> Bool {
    let objection =
      judges[feed.name]?.objection(to: clock, run: run)
      ?? (isPublic(feed) ? hostJudges[hostName(feed)]?.objection(to: clock, run: run) : nil)
    if let objection {
      found("\(feed.name) is asked at \(clock.rfc3339), in the run of \(run.rfc3339): \(objection)")
    }
    return objection == nil
  }

  /// Gets the response of the server, and applies it.
  private mutating func fetch(_ feed: FeedSpec, run: Instant, isOffline: Bool) {
    fetches += 1
    passed += .random(in: 0...12, using: &numbers)
    let answer = isOffline ? RandomAnswer.offline : RandomAnswer(using: &numbers)
    story.append((run, feed.name, answer.kind))
    isCounted = isCounted && answer.kind != .uncounted
    let answered = Answered(kind: answer.kind, run: run, ended: clock)
    judges[feed.name]?.record(answered, skipHours: answer.hints?.skipHours)
    if isPublic(feed), answer.response?.status == 429 { limitedNow.insert(hostName(feed)) }
    if isPublic(feed) { hostJudges[hostName(feed), default: HostJudge()].record(answered, to: feed.name) }

    var attempt = attempt(feed, at: run, answer.response, host: hosts[hostName(feed)] ?? HostState())
    attempt.ended = clock
    let change = answer.change(of: states[feed.name] ?? FeedState(), by: attempt)
    states[feed.name] = change.state
    if let host = change.host { hosts[hostName(feed)] = host }
  }
}
