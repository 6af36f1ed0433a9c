// A laptop's day: on battery, at a dock, at a hotspot, in a train, in a hotel. Each wait has its reason, each file comes once.

import Core
import Testing

@Suite struct LaptopDayTests {
  private static func machine(
    _ isOnMains: Bool, _ charge: Int, _ network: String?, isMetered: Bool? = false, isInUse: Bool = true
  ) -> Surroundings {
    with(Surroundings()) {
      ($0.isOnMains, $0.charge, $0.isMetered) = (isOnMains, charge, isMetered)
      ($0.networks, $0.isInUse) = (network.map { [$0] } ?? [], isInUse)
    }
  }

  /// The machine at each hour, and what feed, backup and film wait for; nil if they do not wait.
  private static let day: [(hour: Int64, Surroundings, feed: String?, backup: String?, film: String?)] = [
    (
      7, machine(false, 25, "home"), "waits for mains power, or 30% of charge (battery 25%)",
      "waits for mains power (battery 25%)", nil
    ),
    (8, machine(true, 40, "home"), nil, "waits until the session is idle", nil),
    (9, machine(true, 60, "home", isInUse: false), nil, nil, nil),
    (
      11, machine(false, 90, "phone", isMetered: true), nil, nil, "waits for an unmetered network (phone)"
    ),
    (
      12, machine(false, 70, "train", isMetered: nil), nil, "waits for mains power (battery 70%)", nil
    ),
    (13, machine(false, 60, nil, isMetered: nil), nil, "waits for mains power (battery 60%)", nil),
    (15, machine(true, 65, "office"), nil, "waits until the session is idle", nil),
    (
      21, machine(true, 100, "hotel", isMetered: true, isInUse: false), nil,
      "waits for an unmetered network (hotel)", "waits for an unmetered network (hotel)"
    ),
    (23, machine(true, 100, "home", isInUse: false), nil, nil, nil),
  ]

  @Test func `each wait of a day has its reason, and each file comes once`() throws {
    let feed = try with(CoreTests.feed("planet", interval: .every(.hours(1)))) {
      $0.conditions = with(Conditions()) { $0.battery = 30 }
    }
    let backup = try with(CoreTests.feed("backup", interval: .every(.hours(3)))) {
      $0.conditions = with(Conditions()) { ($0.power, $0.network, $0.session) = (.ac, .unmetered, .idle) }
    }
    var states = [feed.name: fetched(.hours(20)), backup.name: fetched(.hours(20))]
    var (fetches, films): ([String], [Int64]) = ([], [])
    for (hour, machine, feedWait, backupWait, filmWait) in Self.day {
      let moment = now - .hours(10) + .hours(hour)
      let run = with(context(now: moment)) { $0.surroundings = { _ in machine } }
      for (spec, wait) in [(feed, feedWait), (backup, backupWait)] {
        let decision = dueDecision(spec, states[spec.name] ?? FeedState(), run)
        #expect(decision.waitReason == wait, "\(spec.name) at \(hour)")
        guard decision.isDue else { continue }
        states[spec.name] = fetched(.zero, before: moment)
        fetches.append("\(spec.name) \(hour)")
      }
      // Each hour a film of 700 MB was queued.
      var film = Transfer(
        number: hour, feed: feed.name, session: 1, asset: Asset(url: "https://planet.example/a.mp4"),
        item: nil, description: "", queued: moment)
      film.asset.length = 700_000_000
      let waiting = film.waiting(DownloadSpec(), at: moment) { _ in machine }
      #expect(waiting?.reason == filmWait, "film at \(hour)")
      if waiting == nil { films.append(hour) }
      #expect(waiting?.notBefore == filmWait.map { _ in moment + .days(2) })
    }

    #expect(
      fetches == [
        "planet 8", "planet 9", "backup 9", "planet 11", "planet 12", "planet 13", "planet 15", "planet 21",
        "planet 23", "backup 23",
      ])
    #expect(films == [7, 8, 9, 12, 13, 15, 23])
  }

  /// Changes of a queued file of 25 MB on a metered network, and what it waits for.
  private static let files: [(String, @Sendable (inout Transfer, inout DownloadSpec) -> Void, String?)] = {
    let metered = "waits for an unmetered network (phone)"
    return [
      ("large", { _, _ in }, metered), ("small", { transfer, _ in transfer.asset.length = 20 << 20 }, nil),
      ("of unknown size", { transfer, _ in transfer.asset.length = nil }, nil),
      (
        "of unknown size, with many bytes",
        { transfer, _ in (transfer.asset.length, transfer.partial.bytes) = (nil, (20 << 20) + 1) }, metered
      ),
      ("of no plausible size", { transfer, _ in transfer.asset.length = .max }, nil),
      (
        "small by the document and large by the server",
        { transfer, _ in (transfer.asset.length, transfer.partial.total) = (1, 30 << 20) }, metered
      ),
      (
        "large by the document and small by the server",
        { transfer, _ in transfer.partial.total = 1 << 20 }, nil
      ),
      ("with another limit", { _, spec in spec.meteredMaxSize = ByteCount(26_000_000) }, nil),
      ("without a limit", { _, spec in spec.meteredMaxSize = nil }, nil),
      (
        "small, with conditions",
        { transfer, spec in
          transfer.asset.length = 1
          spec.conditions = with(Conditions()) { $0.power = .ac }
        }, "waits for mains power (battery 50%)"
      ),
      ("asked for", { transfer, _ in transfer.reason = Transfer.askedFor }, nil),
      ("queued two days ago", { transfer, _ in transfer.queued = now - .days(2) }, nil),
      ("queued almost two days ago", { transfer, _ in transfer.queued = now - .hours(47) }, metered),
      ("queued under another clock", { transfer, _ in transfer.queued = now + .days(90) }, metered),
      (
        "with a short wait",
        { transfer, spec in
          transfer.queued = now - .hours(1)
          spec.conditions = with(Conditions()) { $0.atLatest = .hours(1) }
        }, nil
      ),
    ]
  }()

  @Test func `a large file waits for an unmetered network, and any file for its conditions`() throws {
    let phone = Self.machine(false, 50, "phone", isMetered: true)
    for (file, change, reason) in Self.files {
      var (transfer, spec) = (
        Transfer(
          number: 1, feed: try name("planet"), session: 1, asset: Asset(url: "https://planet.example/a.mp4"),
          item: nil, description: "", queued: now), DownloadSpec()
      )
      transfer.asset.length = 25_000_000
      change(&transfer, &spec)

      let waiting = transfer.waiting(spec, at: now) { _ in phone }

      #expect(waiting?.reason == reason, "\(file)")
      #expect(waiting?.isWaiting ?? true)
      #expect(waiting.map { ($0.notBefore ?? now) <= now + .days(2) } ?? true)
      #expect(transfer.waiting(spec, at: now) { _ in Surroundings() } == nil)
    }
  }

  @Test func `a wait of more than a week has no moment, which the queue would take for a mistake`() throws {
    let transfer = with(
      Transfer(
        number: 1, feed: try name("planet"), session: 1, asset: Asset(url: "https://planet.example/a.mp4"),
        item: nil, description: "", queued: now)
    ) { $0.asset.length = 1 << 30 }
    let spec = with(DownloadSpec()) { $0.conditions = with(Conditions()) { $0.atLatest = .days(30) } }

    let waiting = transfer.waiting(spec, at: now) { _ in Self.machine(true, 50, "phone", isMetered: true) }

    #expect(waiting?.status == .suspended)
    #expect(waiting?.notBefore == nil)
  }
}
