// The outcome of attempts that produced no whole file.

import Testing

@testable import Core

@Suite struct TransferOutcomeTests {
  /// The outcome of a failure; without progress the bytes were there before the attempt.
  private func outcome(
    _ failure: TransferFailure, response: Response? = nil, hasProgressed: Bool = false,
    there: PartialDownload = partial(), began: Instant = now, at end: Instant = now,
    change: (inout Transfer) -> Void = { _ in }
  ) throws -> TransferOutcome {
    let transfer = try transfer {
      if !hasProgressed { $0.partial = there }
      change(&$0)
    }
    return StoppedAttempt(transfer, partial: there, began: began, ended: end, machine: "test")
      .outcome(.failed(failure, response))
  }

  private func next(_ outcome: TransferOutcome) throws -> Transfer {
    guard case .postponed(let next, _) = outcome else { throw Mistake.failed(outcome) }
    return next
  }

  /// The transfer after a suspension.
  private func suspended(
    _ transfer: Transfer, partial: PartialDownload, startedOver: Bool = false, byBudget: Bool,
    whileVerifying: Bool = false
  ) throws -> Transfer {
    var attempt = StoppedAttempt(transfer, partial: partial, began: now, ended: now)
    attempt.startedOver = startedOver
    return try next(attempt.outcome(byBudget ? .budgetEnded(whileVerifying: whileVerifying) : .interrupted))
  }

  private enum Mistake: Error { case failed(TransferOutcome) }

  /// The wait until the next attempt in seconds.
  private func wait(_ outcome: TransferOutcome) throws -> Int64 {
    (try next(outcome).notBefore ?? now).since(now).seconds
  }

  /// The reason of a failure that is not tried again.
  private func end(_ outcome: TransferOutcome) throws -> String {
    guard case .failed(let reason, false) = outcome else { throw Mistake.failed(outcome) }
    return reason
  }

  @Test func `waits double with each attempt without progress, up to the eighth`() throws {
    let cut = TransferFailure.fetch(.cut("x"))
    for failures in 0..<7 {
      let wait = try wait(outcome(cut) { $0.failures = failures })
      let seconds = Int64(300 << failures)
      #expect((seconds...(seconds + seconds / 10)).contains(wait))
    }
    #expect(
      try end(outcome(.fetch(.refused(host: "h"))) { $0.failures = 7 })
        == "h refused the connection; given up after 8 attempts")

    // Progress resets the count; bytes that cannot be resumed are none.
    let next = try next(outcome(cut, hasProgressed: true) { $0.failures = 7 })
    #expect(next.failures == 0)
    #expect(next.status == .queued)
    #expect((now + .seconds(60)...now + .seconds(66)).contains(try #require(next.notBefore)))
    let there = partial { $0.entityTag = nil }
    #expect(try self.next(outcome(cut, hasProgressed: true, there: there)).failures == 1)
  }

  @Test(
    arguments: [
      (.fetch(.cut("x")), false, 8), (.page("x"), false, 3), (.fetch(.status(503)), false, 8),
      (.fetch(.rateLimited(status: 429, retryAfter: .days(30))), false, 2),
      (.fetch(.rateLimited(status: 429, retryAfter: .days(2))), true, 5),
      (.short(received: 1, total: 2), true, 10_000),
    ] as [(TransferFailure, Bool, Int)])
  func `no failure is retried forever`(failure: TransferFailure, progresses: Bool, most: Int) throws {
    var download = try transfer()
    var moment = now
    var attempts = 0
    while attempts < 20_000 {
      attempts += 1
      download.partial = progresses ? PartialDownload() : partial()
      let attempt = StoppedAttempt(
        download, partial: partial(), began: moment, ended: moment + .seconds(30), machine: "test")
      guard case .postponed(let next, _) = attempt.outcome(.failed(failure, nil)) else { break }
      download = next
      moment = next.notBefore ?? moment
    }

    #expect(attempts <= most)
    #expect(moment.since(now) <= .days(15))
  }

  @Test func `seven days of failing are the end, progress or not, counted from an attempt`() throws {
    let (week, began) = (now - .days(7), now - .minutes(9))

    #expect(
      try end(outcome(.fetch(.cut("x")), hasProgressed: true) { $0.failingSince = week })
        .hasSuffix("; given up after 7 days"))
    let next = try next(outcome(.fetch(.cut("x"))) { $0.failingSince = week + .seconds(1) })
    #expect(next.failingSince == week + .seconds(1))
    #expect(try self.next(outcome(.empty, began: began)).failingSince == began)
    // And again after the clock was set back.
    #expect(
      try self.next(outcome(.empty, began: began) { $0.failingSince = now + .days(9) }).failingSince == began)
  }

  @Test(
    arguments: [
      (.fetch(.status(404)), false), (.fetch(.status(410)), false), (.fetch(.status(451)), false),
      (.fetch(.status(401)), true), (.fetch(.status(407)), true), (.noWebAddress, false),
      (.tooLarge(limit: ByteCount(1), size: nil), false), (.fetch(.tooLarge(ByteCount(1))), false),
      (.documents(.fileTooLarge(path: "/d")), false),
    ] as [(TransferFailure, Bool)])
  func `permanent failures fail at once`(failure: TransferFailure, needsCredentials: Bool) throws {
    #expect(try outcome(failure) == .failed(reason: text(of: failure), needsCredentials: needsCredentials))
  }

  @Test(arguments: [404, 410])
  func `a file announced by a push that is not there is requested once more`(status: Int) throws {
    let failure = TransferFailure.fetch(.status(status))
    func outcome(_ transfer: Transfer) -> TransferOutcome {
      var attempt = StoppedAttempt(transfer, partial: PartialDownload(), began: now, ended: now)
      attempt.secondTry = now + .seconds(60)
      return attempt.outcome(.failed(failure, nil))
    }
    var transfer = try transfer()

    guard case .postponed(let next, _) = outcome(transfer) else {
      return #expect(Bool(false), "not tried again")
    }
    #expect(next.notBefore == now + .seconds(60))
    #expect(next.failures == 1)
    transfer.failures = next.failures
    #expect(outcome(transfer) == .failed(reason: text(of: failure), needsCredentials: false))
  }

  @Test(
    arguments: [
      .page("an HTML page"), .encoded("gzip"), .fetch(.status(403)), .fetch(.status(400)),
      .fetch(.insecureRedirect("h")), .fetch(.privateAddress("10.0.0.1")), .fetch(.tooManyRedirects(3)),
    ] as [TransferFailure])
  func `failures that a captive portal may cause are tried three times, beside others eight`(
    failure: TransferFailure
  ) throws {
    func after(_ failures: Int, _ reason: String) throws -> TransferOutcome {
      try outcome(failure) { ($0.failures, $0.reason) = (failures, reason) }
    }

    #expect(try next(after(1, text(of: failure))).failures == 2)
    _ = try end(after(2, text(of: failure)))
    #expect(try next(after(5, "the server answered 500")).failures == 6)
    _ = try end(after(7, "the server answered 500"))
  }

  @Test(
    arguments: [
      .fetch(.unresolved(host: "h", detail: "")), .fetch(.connectTimeout(.seconds(1))),
      .fetch(.stalled(StallLimit())), .fetch(.status(500)), .fetch(.status(202)), .fetch(.status(408)),
      .fetch(.status(425)), .fetch(.status(416)), .fetch(.tls("x")), .short(received: 1, total: 2),
      .overlong(total: 1), .wrongRange("x"), .changed("x"), .empty, .documents(.partialLost(path: "/d")),
      .documents(.other(path: "/d", detail: "x")), .documents(.notDirectory(path: "/d/a")),
      .documents(.nameRefused(path: "/d/a", detail: "x")), .fetch(.rateLimited(status: 429, retryAfter: nil)),
    ] as [TransferFailure])
  func `temporary failures are retried`(failure: TransferFailure) throws {
    let next = try next(outcome(failure))

    #expect(next.status == .queued)
    #expect(next.failures == 1)
    #expect(next.reason == text(of: failure))
  }

  @Test(
    arguments: [
      (.fetch(.offline), .queued), (.fetch(.captivePortal("h")), .queued), (.fetch(.status(511)), .queued),
      (.fetch(.noSecret("x")), .suspended), (.fetch(.transferLibrary("x")), .suspended),
      (.documents(.full(path: "/d")), .suspended), (.documents(.gone(path: "/d")), .suspended),
      (.documents(.denied(path: "/d", detail: "x")), .suspended),
      (.documents(.belowFreeSpace(path: "/d", free: ByteCount(1), floor: ByteCount(2))), .suspended),
    ] as [(TransferFailure, TransferStatus)])
  func `problems of this machine are not counted`(failure: TransferFailure, status: TransferStatus) throws {
    let since = now - .days(8)

    let next = try next(outcome(failure) { ($0.failures, $0.failingSince, $0.cuts) = (7, since, 1) })

    #expect(next.status == status)
    #expect(next.failures == 7)
    #expect(next.failingSince == since)
    #expect(next.cuts == 1)
    #expect(next.notBefore == now + .minutes(5))
    #expect(next.partial == partial())
  }

  @Test(
    arguments: [
      ("3600", 3601), ("10", 300), ("99999999", 604_800), ("Mon, 02 Nov 2026 12:00:00 GMT", 7201),
      (nil, 7201),
    ] as [(String?, Int64)])
  func `the server is obeyed when it asks to wait longer, for seven days at most`(
    value: String?, seconds: Int64
  ) throws {
    let wait = try wait(
      value.map { try outcome(.fetch(.status(503)), response: reply(503, [("Retry-After", $0)])) }
        ?? outcome(.fetch(.rateLimited(status: 429, retryAfter: .hours(2)))))

    #expect((seconds...(seconds + min(seconds / 10 + 1, 720))).contains(wait))
  }

  @Test(
    arguments: [
      (.changed("x"), 3), (.documents(.partialLost(path: "/d")), 1),
      (.documents(.fileTooLarge(path: "/d")), 1), (.overlong(total: 1), nil), (.empty, nil),
      (.short(received: 1, total: 2), nil), (.fetch(.cut("x")), nil), (.page("x"), nil),
      (.fetch(.status(403)), nil), (.fetch(.status(404)), nil), (.fetch(.status(410)), nil),
    ] as [(TransferFailure, Int?)])
  func `no response costs the bytes that are there, until the server has said often that they are old`(
    failure: TransferFailure, attempts: Int?
  ) {
    let spoiling = (1...8).first { failure.spoilsPartial(after: $0) }

    #expect(spoiling == attempts)
  }

  @Test(arguments: [(429, true), (403, true), (503, false)])
  func `a 429, and a 403 like it, apply to other downloads too`(status: Int, applies: Bool) throws {
    let failure = TransferFailure.fetch(.rateLimited(status: status, retryAfter: .hours(1)))

    guard case .postponed(let next, let limit) = try outcome(failure, response: reply(status)) else {
      return #expect(Bool(false), "not postponed")
    }
    #expect((limit != nil) == applies)
    #expect(try #require(next.notBefore) > now + .hours(1))
  }

  @Test func `a download stopped by the budget is suspended, and does not count as failed`() throws {
    let stopped = try transfer { $0.failures = 3 }

    let next = try suspended(stopped, partial: PartialDownload(), byBudget: true)
    let interrupted = try suspended(stopped, partial: partial(), byBudget: false)

    #expect(next.status == .suspended)
    #expect(next.reason == "the budget ended")
    #expect(next.notBefore == nil)
    #expect(next.failures == 3)
    #expect(next.cuts == 0)
    #expect(interrupted.reason == "interrupted")
    #expect(interrupted.failures == 0)
  }

  // Files of servers that send an ETag and answer every range with 200 were requested forever, each run from byte 0.
  @Test(arguments: [
    ("it cannot be resumed", partial { $0.entityTag = "W/\"1\"" }, false, false),
    ("it is verified", partial(), false, true),
    ("it started over although ranges are promised", partial(), true, false),
  ])
  func `a download that the budget cut twice in vain gets an attempt without one`(
    why: String, there: PartialDownload, startedOver: Bool, whileVerifying: Bool
  ) throws {
    var download = try transfer { ($0.failures, $0.partial) = (3, partial { $0.bytes = 1 }) }
    if whileVerifying { download.partial = there }

    for cut in 1...2 {
      #expect(!needsAttemptWithoutBudget(download), "\(why)")
      let next = try suspended(
        download, partial: there, startedOver: startedOver, byBudget: true, whileVerifying: whileVerifying)
      #expect(next.cuts == cut, "\(why)")
      #expect(next.failures == 3, "\(why)")
      download.cuts = next.cuts
    }

    #expect(needsAttemptWithoutBudget(download), "\(why)")
    if !whileVerifying {
      #expect(try suspended(download, partial: there, startedOver: startedOver, byBudget: false).cuts == 2)
    }
    #expect(try suspended(download, partial: partial { $0.acceptsRanges = false }, byBudget: true).cuts == 3)
    download.partial = PartialDownload()
    #expect(try suspended(download, partial: partial(), byBudget: true).cuts == 0)
  }

  @Test(
    arguments: [
      (.fetch(.status(404)), "the server answered 404; the server does not have the file"),
      (.fetch(.status(500)), "the server answered 500"),
      (.fetch(.tooLarge(ByteCount(1000))), "the file is larger than 1.0 kB; see download.max-size"),
      (
        .tooLarge(limit: ByteCount(1000), size: ByteCount(2500)),
        "the file is 2.5 kB, larger than 1.0 kB; see download.max-size"
      ),
      (.short(received: 3, total: 10), "only 3 of 10 bytes were received"), (.empty, "the file is empty"),
      (.page("an HTML page"), "the server sent an HTML page instead of the file"),
      (
        .documents(.gone(path: "/mnt/nas")),
        "the directory /mnt/nas is gone; mount it, or to start with an empty directory, mkdir -p /mnt/nas/.bgfetch"
      ),
      (
        .documents(.gone(path: "/mnt/nas/.bgfetch")),
        "the directory /mnt/nas/.bgfetch is gone; mount it, or to start with an empty directory, mkdir -p /mnt/nas/.bgfetch"
      ),
      (
        .documents(.inTheWay(path: "/d/.bgfetch")),
        "/d/.bgfetch is in the way: it is a symbolic link, or not a directory; move it away"
      ),
      (
        .documents(.inTheWay(path: "/d/.bgfetch/7.part")),
        "/d/.bgfetch/7.part is in the way: it is a directory with files; move it away"
      ),
      (
        .documents(.nameRefused(path: "/d/café.mp3", detail: "Invalid argument")),
        "the file system does not accept the name /d/café.mp3: Invalid argument; set download.name"
      ),
      (.fetch(.offline), "offline"),
    ] as [(TransferFailure, String)])
  func `failure texts speak of files, not of feeds`(failure: TransferFailure, words: String) {
    #expect(text(of: failure) == words)
  }
}
