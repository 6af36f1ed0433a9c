// Conditions: what a feed that is due waits for, with its reason, and never longer than its longest wait.

import Testing

@testable import Core

@Suite struct ConditionTests {
  private static func conditions(_ change: (inout Conditions) -> Void) -> Conditions {
    with(Conditions(), change)
  }

  private static func machine(_ change: (inout Surroundings) -> Void) -> Surroundings {
    with(Surroundings(), change)
  }

  private static let unknown = Surroundings()
  private static let onBattery = machine { $0.isOnMains = false }
  private static let onMains = machine { $0.isOnMains = true }
  private static let phone = machine {
    $0.isMetered = true
    $0.network = "phone"
  }
  private static let home = machine {
    $0.isMetered = false
    $0.network = "home"
  }
  private static let saysNo = machine { $0.answer = .no("exited with status 1") }

  private static let power = conditions { $0.power = .ac }
  private static let network = conditions { $0.network = .unmetered }
  private static let command = conditions { $0.command = ["at-home", "-q"] }
  private static let all = conditions {
    $0.power = .ac
    $0.network = .unmetered
    $0.command = ["at-home", "-q"]
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let conditions: Conditions
    let machine: Surroundings
    /// The reason to wait; nil for none.
    let reason: String?

    init(_ name: String, _ conditions: Conditions, _ machine: Surroundings, _ reason: String? = nil) {
      self.name = name
      self.conditions = conditions
      self.machine = machine
      self.reason = reason
    }

    var testDescription: String { name }
  }

  private static let rows = [
    Row("no condition on battery", Conditions(), onBattery),
    Row("no condition on a phone's network", Conditions(), phone),
    Row("mains power on battery", power, onBattery, "waits for mains power"),
    Row("mains power on mains", power, onMains),
    Row("mains power, unknown", power, unknown),
    Row("an unmetered network on a phone's", network, phone, "waits for an unmetered network (phone)"),
    Row(
      "an unmetered network on one without a name", network, machine { $0.isMetered = true },
      "waits for an unmetered network"),
    Row(
      "a name that is not plain", network,
      machine {
        $0.isMetered = true
        $0.network = "a\u{1B}[31m\nb"
      }, "waits for an unmetered network (a b)"),
    Row("an unmetered network at home", network, home),
    Row("an unmetered network, unknown", network, unknown),
    Row("a command that says yes", command, machine { $0.answer = .yes }),
    Row("a command that says no", command, saysNo, "waits for the command at-home -q (exited with status 1)"),
    Row("a command that was not asked", command, unknown, "waits for the command at-home -q (not asked)"),
    Row("all, on battery", all, onBattery, "waits for mains power"),
    Row("all, on a phone's network", all, phone, "waits for an unmetered network (phone)"),
    Row(
      "all, and the command says no", all, saysNo, "waits for the command at-home -q (exited with status 1)"),
    Row(
      "all hold", all,
      machine {
        $0.isOnMains = true
        $0.isMetered = false
        $0.answer = .yes
      }),
  ]

  @Test(arguments: rows)
  func `a condition that is known not to hold is a reason to wait`(row: Row) {
    #expect(row.conditions.reasonToWait(in: row.machine) == row.reason)
  }

  /// A feed that waits for mains power, due a minute ago unless it is `early`.
  private func feed(hours: String? = nil, _ change: (inout Conditions) -> Void = { _ in }) throws -> FeedSpec
  {
    try with(CoreTests.feed(interval: .every(.hours(1)), hours: hours)) {
      $0.conditions = Self.conditions {
        $0.power = .ac
        change(&$0)
      }
    }
  }

  private let reason = "waits for mains power"
  private let due = fetched(.minutes(58))

  private func run(
    at moment: Instant = now, _ machine: Surroundings = onBattery, named: Set<FeedName> = [],
    isForced: Bool = false
  ) -> PlanningContext {
    with(context(now: moment, named: named, isForced: isForced)) { $0.surroundings = { _ in machine } }
  }

  private func waits(until moment: Instant) -> Due { .because(.waits(reason, until: moment)) }

  @Test func `a due feed waits until its condition holds, or its longest wait ends`() throws {
    let feed = try feed()
    let end = now + .days(2)

    expect("from the moment it was due", feed, due, waits(until: end), run())
    expect("later too", feed, due, waits(until: end), run(at: now + .hours(47)))
    expect("then no longer", feed, due, .yes, run(at: end))
    expect("on mains", feed, due, .because(.reached(.minimumInterval, at: now)), run(Self.onMains))
    expect("in a machine of which nothing is known", feed, due, .yes, run(Self.unknown))
    expect("not due", feed, fetched(.minutes(5)), .waits(.minimumInterval, .minutes(53)), run())
    try expect("no wait at all", self.feed { $0.atLatest = .zero }, due, .yes, run())
    let back = fetched(.zero, before: now + .days(9))
    expect("times that do not count", feed, back, waits(until: end), run())
    let limited = with(due) { $0.rateLimit = limit(until: now + .seconds(30)) }
    expect("no run waits for a server", feed, limited, waits(until: end), run())
    let known = with(FeedState()) { $0.waitsSince = now - .days(1) }
    expect("never fetched", feed, FeedState(), waits(until: end), run())
    expect("never fetched, found a day ago", feed, known, waits(until: now + .days(1)), run())
    let opened = try self.feed(hours: "09:00-18:00")
    expect("hours count first", opened, due, .waits(.hours, .hours(23)), run(at: now + .hours(9)))

    expect("within hours of the next day", opened, due, waits(until: end), run(at: now + .hours(24)))
  }

  /// States of a feed, of which the wait has begun before now, and when it ends.
  private static let beginnings: [(name: String, state: FeedState, end: Instant?)] = {
    func failed(since: Instant?, counted: Instant?) -> FeedState {
      with(FeedState()) {
        $0.lastAsked = now - .hours(3)
        $0.lastCounted = counted
        $0.failures = 1
        $0.backoffClass = .transient
        $0.backoffFailures = 1
        $0.waitsSince = since
      }
    }
    return [
      ("never fetched", with(FeedState()) { $0.waitsSince = now - .hours(47) }, now + .hours(1)),
      ("never fetched, at its end", with(FeedState()) { $0.waitsSince = now - .days(2) }, nil),
      (
        "never fetched, found under a later clock", with(FeedState()) { $0.waitsSince = now + .days(4000) },
        now + .days(2)
      ),
      ("a retry within the wait", failed(since: now - .hours(47), counted: nil), now + .hours(1)),
      ("a retry after the wait", failed(since: now - .days(3), counted: nil), nil),
      ("a retry of what was due for long", failed(since: nil, counted: now - .days(4)), nil),
      (
        "a retry of what was due today", failed(since: nil, counted: now - .hours(5)),
        now - .hours(4) - .minutes(2) + .days(2)
      ),
    ]
  }()

  @Test func `the longest wait begins once, and a retry does not begin it again`() throws {
    let feed = try feed()
    for row in Self.beginnings {
      expect("\(row.name)", feed, row.state, row.end.map(waits) ?? .yes, run())
    }
  }

  @Test func `the beginning of a wait is stored once, and again when it is ahead`() throws {
    let feed = try feed()
    for (name, state, begins) in [
      ("not stored", due, true), ("stored", with(due) { $0.waitsSince = now - .hours(1) }, false),
      ("stored under a later clock", with(due) { $0.waitsSince = now + .days(4000) }, true),
      ("not due", fetched(.minutes(5)), false),
    ] {
      var outlook = DueOutlook()
      outlook.add([feed], [feed.name: state], run())
      #expect(outlook.beginningToWait == (begins ? [feed.name] : []), "\(name)")
    }
  }

  @Test func `a command is asked only for a feed that everything else allows`() throws {
    let feed = try feed { $0.command = ["at-home"] }
    let other = try self.feed { $0.command = ["at-work"] }
    let states = [feed.name: due]
    func asked(_ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext) -> Set<
      [String]
    > {
      commandsToAsk(feeds, states, context)
    }

    #expect(asked([feed, other, feed], states, run(Self.onMains)) == [["at-home"], ["at-work"]])
    #expect(asked([try self.feed()], states, run(Self.onBattery)) == [])
    #expect(asked([feed], states, run(Self.onBattery)) == [])
    #expect(asked([feed], [feed.name: fetched(.minutes(5))], run(Self.onMains)) == [])
    #expect(asked([feed], states, run(Self.onMains, named: [feed.name])) == [])
  }

  @Test func `naming a feed and --force override its conditions, and a push does not`() throws {
    let feed = try feed()
    let named: Set = [feed.name]

    expect("named", feed, due, .because(.named), run(named: named))
    expect("named with --force", feed, due, .because(.named), run(named: named, isForced: true))
    expect("--force", feed, due, .because(.named), run(isForced: true))
    let push = StoredPush(
      number: 1, feed: feed.name, payload: PushPayload(text: "{}"), received: now - .hours(1))
    let pushed = PlanningContext(
      now: now, zone: .utc, machine: "test", pushes: [feed.name: PushDemand(pushes: [push])])
    let onBattery = with(pushed) { $0.surroundings = { _ in Self.onBattery } }
    expect("pushed", feed, fetched(.minutes(1)), waits(until: now + .hours(47)), onBattery)
    expect("pushed on mains", feed, fetched(.minutes(1)), .yes, pushed)
  }

  @Test func `the machine is looked at only for a due feed with conditions`() throws {
    let feed = try feed()
    let run = with(context()) {
      $0.surroundings = { _ in
        Issue.record("looked at")
        return Surroundings()
      }
    }

    expect("not due", feed, fetched(.minutes(5)), .no, run)
    expect("without conditions", try CoreTests.feed(), due, .yes, run)
    expect("named", feed, due, .yes, with(context(named: [feed.name])) { $0.surroundings = run.surroundings })
    expect("paused", feed, with(due) { $0.pause = Pause(until: nil) }, .no, run)
  }

  @Test func `a wait is said by why, and lasts as long as it is not known to`() throws {
    let feed = try feed()
    let report = whyReport(feed, due, run())

    #expect(report.conclusion == reason + ", at the latest until 2026-11-04 10:00:00")
    #expect(report.rows.filter(\.binds).map(\.rule) == ["when"])
    #expect(report.rows.filter(\.binds).map(\.value) == ["mains power; 2d at most"])
    let unknown = whyReport(feed, due, run(Self.unknown)).rows.filter { $0.rule == "when" }
    #expect(unknown.map(\.value) == ["mains power (not known); 2d at most"])
    #expect(report.decision.lastingMoment == nil)
    var outlook = DueOutlook()
    outlook.add([feed], [feed.name: due], run())
    #expect(outlook.due == [])
    #expect(outlook.next?.at == now + .days(2))
    #expect(outlook.waiting?.reason == reason)
    #expect(outlook.quietTime(from: now) == nil)
    let named = whyReport(feed, due, run(named: [feed.name]))
    #expect(named.rows.filter(\.isOverridden).map(\.rule).contains("when"))
  }

  /// The hours at which a feed is fetched in a laptop's week: in each row, the machine from an hour on.
  @Test func `no feed waits longer than its longest wait, and each is fetched when its condition holds`()
    throws
  {
    for seed in UInt64(1)...40 {
      var numbers = SeededNumbers(state: seed)
      let longest = Interval.hours(.random(in: 0...60, using: &numbers))
      let feed = try feed { $0.atLatest = longest }
      var state = due
      var dueAt: Instant? = now
      for minute in 0..<(7 * 24 * 12) {
        let moment = now + .minutes(Int64(minute) * 5)
        let machine = Bool.random(using: &numbers) && minute % 400 > 300 ? Self.onMains : Self.onBattery
        let decision = dueDecision(feed, state, run(at: moment, machine))
        let plain = dueDecision(with(feed) { $0.conditions = nil }, state, run(at: moment, machine))
        if plain.isDue { dueAt = dueAt ?? moment }
        if decision.isDue {
          #expect(plain.isDue, "\(seed)")
          #expect(
            machine.isOnMains == true || moment.since(dueAt ?? moment) + .minutes(5) >= longest, "\(seed)")
          state = fetched(.zero, before: moment)
          dueAt = nil
        } else if let dueAt {
          #expect(moment.since(dueAt) <= longest, "\(seed)")
          #expect(machine.isOnMains == false || !plain.isDue, "\(seed)")
        }
      }
    }
  }
}
