// Downloads of files on a laptop: the conditions that a queued file waits for, and how long.

import Core
import Testing

@Suite struct WaitingFileTests {
  private static let phone = with(Surroundings()) {
    $0.isOnMains = false
    $0.isMetered = true
    $0.network = "phone"
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
        "large by the document and small by the server", { transfer, _ in transfer.partial.total = 1 << 20 },
        nil
      ),
      (
        "small, with conditions",
        { transfer, spec in
          transfer.asset.length = 1
          spec.conditions = with(Conditions()) { $0.power = .ac }
        }, "waits for mains power"
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
    for (file, change, reason) in Self.files {
      var (transfer, spec) = (
        Transfer(
          number: 1, feed: try name("planet"), session: 1, asset: Asset(url: "https://planet.example/a.mp4"),
          item: nil, description: "", queued: now), DownloadSpec()
      )
      transfer.asset.length = 25_000_000
      change(&transfer, &spec)

      let waiting = transfer.waiting(spec, at: now) { _ in Self.phone }

      #expect(waiting?.reason == reason, "\(file)")
      #expect(waiting?.isWaiting ?? true, "\(file)")
      #expect(waiting.map { $0.queued <= now } ?? true, "\(file): its wait begins once")
      #expect(waiting.map { ($0.notBefore ?? now) <= now + .days(2) } ?? true, "\(file)")
      #expect(transfer.waiting(spec, at: now) { _ in Surroundings() } == nil, "\(file)")
    }
  }

  @Test func `a wait of more than a week has no moment, which the queue would take for a mistake`() throws {
    let transfer = with(
      Transfer(
        number: 1, feed: try name("planet"), session: 1, asset: Asset(url: "https://planet.example/a.mp4"),
        item: nil, description: "", queued: now)
    ) { $0.asset.length = 1 << 30 }
    let spec = with(DownloadSpec()) { $0.conditions = with(Conditions()) { $0.atLatest = .days(30) } }

    let waiting = transfer.waiting(spec, at: now) { _ in Self.phone }

    #expect(waiting?.status == .suspended)
    #expect(waiting?.notBefore == nil)
  }
}
