// Conditions: what a feed that is due waits for, with its reason, and never longer than its longest wait.

import Core
import Testing

@Suite struct ConditionTests {
  private static func conditions(_ change: (inout Conditions) -> Void) -> Conditions {
    with(Conditions(), change)
  }

  private static func machine(_ change: (inout Surroundings) -> Void) -> Surroundings {
    with(Surroundings(), change)
  }

  private static let unknown = Surroundings()
  private static let onBattery = machine { ($0.isOnMains, $0.charge) = (false, 41) }
  private static let onMains = machine { ($0.isOnMains, $0.charge) = (true, 5) }
  private static let hotspot = machine { ($0.isMetered, $0.networks) = (true, ["hotspot", "Phone"]) }
  private static let home = machine { ($0.isMetered, $0.networks) = (false, ["Wired 1", "home"]) }

  private static let all = conditions { ($0.power, $0.network, $0.session) = (.ac, .unmetered, .idle) }

  /// Conditions, a state of the machine, and the reason to wait.
  private static let rows: [(Conditions, Surroundings, String?)] = [
    (Conditions(), onBattery, nil), (Conditions(), hotspot, nil),
    (conditions { $0.power = .ac }, onBattery, "waits for mains power (battery 41%)"),
    (conditions { $0.power = .ac }, machine { $0.isOnMains = false }, "waits for mains power (on battery)"),
    (conditions { $0.power = .ac }, onMains, nil), (conditions { $0.power = .ac }, unknown, nil),
    (conditions { $0.power = .ac }, machine { $0.charge = 3 }, nil),
    (conditions { $0.battery = 42 }, onBattery, "waits for mains power, or 42% of charge (battery 41%)"),
    (conditions { $0.battery = 41 }, onBattery, nil), (conditions { $0.battery = 99 }, onMains, nil),
    (conditions { $0.battery = 99 }, machine { $0.isOnMains = false }, nil),
    (conditions { $0.network = .unmetered }, hotspot, "waits for an unmetered network (hotspot)"),
    (
      conditions { $0.network = .unmetered }, machine { $0.isMetered = true },
      "waits for an unmetered network"
    ),
    (conditions { $0.network = .unmetered }, home, nil),
    (conditions { $0.network = .unmetered }, unknown, nil), (conditions { $0.network = .any }, hotspot, nil),
    (conditions { $0.networkNames = ["home"] }, home, nil),
    (conditions { $0.networkNames = ["ho*", "x"] }, home, nil),
    (conditions { $0.networkNames = ["home"] }, unknown, nil),
    (
      conditions { $0.networkNames = ["home", "office"] }, machine { $0.networks = ["hotel"] },
      "waits for the network home or office (connected to hotel)"
    ),
    (
      conditions { $0.networkNames = ["home"] }, machine { $0.networks = ["a\u{1B}[31m\nb"] },
      "waits for the network home (connected to a b)"
    ),
    (
      conditions { $0.session = .active }, machine { $0.isInUse = false },
      "waits until you are at the session"
    ),
    (conditions { $0.session = .active }, machine { $0.isInUse = true }, nil),
    (conditions { $0.session = .idle }, machine { $0.isInUse = true }, "waits until the session is idle"),
    (conditions { $0.session = .idle }, machine { $0.isInUse = false }, nil),
    (conditions { $0.session = .idle }, unknown, nil),
    // The first of several that does not hold.
    (all, onBattery, "waits for mains power (battery 41%)"),
    (all, hotspot, "waits for an unmetered network (hotspot)"),
    (all, machine { $0.isInUse = true }, "waits until the session is idle"),
    (all, machine { ($0.isOnMains, $0.isMetered, $0.isInUse) = (true, false, false) }, nil),
  ]

  @Test(arguments: rows.indices)
  func `a condition that is known not to hold is a reason to wait`(row: Int) {
    let (conditions, machine, reason) = Self.rows[row]

    #expect(conditions.reasonToWait(in: machine) == reason)
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

  private let reason = "waits for mains power (battery 41%)"
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
    expect("times that do not count", feed, back, .because(.clockSetBack), run())
    let limited = with(due) { $0.rateLimit = limit(until: now + .seconds(30)) }
    expect("no run waits for a server", feed, limited, waits(until: now + .seconds(30) + .days(2)), run())
    let known = with(FeedState()) { $0.waitsSince = now - .days(1) }
    expect("never fetched", feed, FeedState(), waits(until: end), run())
    expect("never fetched, found a day ago", feed, known, waits(until: now + .days(1)), run())
    let opened = try self.feed(hours: "09:00-18:00")
    expect("hours count first", opened, due, .waits(.hours, .hours(23)), run(at: now + .hours(9)))

    expect("within hours of the next day", opened, due, waits(until: end), run(at: now + .hours(24)))
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
    #expect(report.decision.lastingMoment == nil)
    var outlook = DueOutlook()
    outlook.add([feed], [feed.name: due], run())
    #expect(outlook.due == [])
    #expect(outlook.next?.at == now + .days(2))
    #expect(outlook.waiting?.reason == reason && outlook.quietTime(from: now) == nil)
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
          #expect(plain.isDue)
          #expect(machine.isOnMains == true || moment.since(dueAt ?? moment) + .minutes(5) >= longest)
          state = fetched(.zero, before: moment)
          dueAt = nil
        } else if let dueAt {
          #expect(moment.since(dueAt) <= longest)
          #expect(machine.isOnMains == false || !plain.isDue)
        }
      }
    }
  }
}
