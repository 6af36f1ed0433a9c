// The outcome of attempts that produced no whole file.

import Core
import Testing

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
    return try next(
      attempt.outcome(byBudget ? .budgetEnded(whileVerifying: whileVerifying) : .interrupted))
  }

  private enum Mistake: Error { case failed(TransferOutcome) }

  /// The wait until the next attempt in seconds.
  private func wait(_ outcome: TransferOutcome) throws -> Int64 {
    (try next(outcome).notBefore ?? now).since(now).seconds
  }

  @Test(
    arguments: [
      (0, 300), (1, 600), (2, 1200), (3, 2400), (4, 4800), (5, 9600), (6, 19_200),
    ] as [(Int, Int64)])
  func `waits double with each attempt without progress`(failures: Int, seconds: Int64) throws {
    let wait = try wait(outcome(.fetch(.cut("x"))) { $0.failures = failures })

    #expect((seconds...(seconds + seconds / 10)).contains(wait))
  }

  @Test func `the eighth attempt in a row without progress is the last`() throws {
    guard
      case .failed(let reason, false) = try outcome(.fetch(.refused(host: "h")), change: { $0.failures = 7 })
    else { return #expect(Bool(false), "tried again") }

    #expect(reason == "h refused the connection; given up after 8 attempts")
  }

  @Test func `progress resets the count`() throws {
    let next = try next(outcome(.fetch(.cut("x")), hasProgressed: true) { $0.failures = 7 })

    #expect(next.failures == 0)
    #expect(next.status == .queued)
    #expect((now + .seconds(60)...now + .seconds(66)).contains(try #require(next.notBefore)))
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

  @Test func `bytes that cannot be resumed are not progress`() throws {
    let there = partial { $0.entityTag = nil }

    #expect(try next(outcome(.fetch(.cut("x")), hasProgressed: true, there: there)).failures == 1)
  }

  @Test func `seven days of failing are the end, progress or not`() throws {
    let began = now - .days(7)

    guard
      case .failed(let reason, false) = try outcome(
        .fetch(.cut("x")), hasProgressed: true, change: { $0.failingSince = began })
    else { return #expect(Bool(false), "tried again") }
    #expect(reason.hasSuffix("; given up after 7 days"))
    let next = try next(outcome(.fetch(.cut("x"))) { $0.failingSince = began + .seconds(1) })
    #expect(next.failingSince == began + .seconds(1))
  }

  @Test func `the seven days begin with an attempt, and again after the clock was set back`() throws {
    let began = now - .minutes(9)

    #expect(try next(outcome(.empty, began: began)).failingSince == began)
    #expect(
      try next(outcome(.empty, began: began) { $0.failingSince = now + .days(9) }).failingSince == began)
  }

  @Test(
    arguments: [
      (.fetch(.status(404)), false), (.fetch(.status(410)), false), (.fetch(.status(451)), false),
      (.fetch(.status(401)), true), (.fetch(.status(407)), true),
      (.tooLarge(limit: ByteCount(1), size: nil), false), (.fetch(.tooLarge(ByteCount(1))), false),
      (.documents(.fileTooLarge(path: "/d")), false),
    ] as [(TransferFailure, Bool)])
  func `permanent failures fail at once`(failure: TransferFailure, needsCredentials: Bool) throws {
    #expect(
      try outcome(failure) == .failed(reason: text(of: failure), needsCredentials: needsCredentials))
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

  @Test func `an asset without an http or https address is not retried`() throws {
    guard case .failed(_, needsCredentials: false) = try outcome(.noWebAddress)
    else { return #expect(Bool(false), "tried again") }
  }

  @Test(
    arguments: [
      .page("an HTML page"), .encoded("gzip"), .fetch(.status(403)), .fetch(.status(400)),
      .fetch(.insecureRedirect("h")), .fetch(.privateAddress("10.0.0.1")), .fetch(.tooManyRedirects(3)),
    ] as [TransferFailure])
  func `failures that a captive portal may cause are tried three times`(failure: TransferFailure) throws {
    #expect(try next(outcome(failure) { $0.failures = 1 }).failures == 2)

    guard
      case .failed(_, false) = try outcome(
        failure,
        change: {
          $0.failures = 2
          $0.reason = text(of: failure)
        })
    else { return #expect(Bool(false), "tried again") }
  }

  @Test func `a failure that a captive portal may cause is not permanent after failures of another kind`()
    throws
  {
    let next = try next(
      outcome(.page("an HTML page")) {
        $0.failures = 5
        $0.reason = "the server answered 500"
      })

    #expect(next.failures == 6)
    guard case .failed = try outcome(.page("an HTML page"), change: { $0.failures = 7 })
    else { return #expect(Bool(false), "tried again after eight attempts") }
  }

  @Test(
    arguments: [
      .fetch(.unresolved(host: "h", detail: "")), .fetch(.connectTimeout(.seconds(1))),
      .fetch(.stalled(StallLimit())), .fetch(.status(500)), .fetch(.status(202)), .fetch(.status(408)),
      .fetch(.status(425)), .fetch(.status(416)), .fetch(.tls("x")), .short(received: 1, total: 2),
      .overlong(total: 1), .wrongRange("x"), .changed("x"), .empty, .documents(.partialLost(path: "/d")),
      .documents(.other(path: "/d", detail: "x")), .documents(.linkOnTheWay(path: "/d/a")),
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
  func `problems of this machine are not counted`(
    failure: TransferFailure, status: TransferStatus
  ) throws {
    let since = now - .days(8)

    let next = try next(
      outcome(failure) {
        $0.failures = 7
        $0.failingSince = since
        $0.cuts = 1
      })

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
    ] as [(String, Int64)])
  func `the server is obeyed when it asks to wait longer, for seven days at most`(
    value: String, seconds: Int64
  ) throws {
    let wait = try wait(outcome(.fetch(.status(503)), response: reply(503, [("Retry-After", value)])))

    #expect((seconds...(seconds + min(seconds / 10 + 1, 600))).contains(wait))
  }

  @Test func `a Retry-After that the failure carries is obeyed`() throws {
    let wait = try wait(outcome(.fetch(.rateLimited(status: 429, retryAfter: .hours(2)))))

    #expect((7201...7921).contains(wait))
  }

  @Test(
    arguments: [
      (.changed("x"), true), (.overlong(total: 1), true), (.empty, true),
      (.documents(.partialLost(path: "/d")), true), (.short(received: 1, total: 2), false),
      (.fetch(.cut("x")), false), (.page("x"), false), (.fetch(.status(403)), false),
    ] as [(TransferFailure, Bool)])
  func `bytes that cannot be right are dropped`(failure: TransferFailure, isDropped: Bool) throws {
    #expect(try next(outcome(failure)).partial == (isDropped ? PartialDownload() : partial()))
  }

  @Test func `a download stopped by the budget is suspended, and does not count as failed`() throws {
    let stopped = try transfer { $0.failures = 3 }

    let next = try suspended(stopped, partial: PartialDownload(), byBudget: true)

    #expect(next.status == .suspended)
    #expect(next.reason == "the budget ended")
    #expect(next.notBefore == nil)
    #expect(next.failures == 3)
    #expect(next.cuts == 0)
    #expect(try suspended(stopped, partial: partial(), byBudget: false).reason == "interrupted")
    #expect(try suspended(stopped, partial: partial(), byBudget: false).failures == 0)
  }

  @Test func `a download that cannot be resumed and was cut twice by the budget gets an attempt without one`()
    throws
  {
    let useless = partial { $0.entityTag = "W/\"1\"" }
    var download = try transfer()

    for cut in 1...2 {
      #expect(!needsAttemptWithoutBudget(download))
      download.cuts = try suspended(download, partial: useless, byBudget: true).cuts
      #expect(download.cuts == cut)
    }

    #expect(needsAttemptWithoutBudget(download))
    #expect(try suspended(download, partial: useless, byBudget: false).cuts == 2)
    #expect(try suspended(download, partial: partial(), byBudget: true).cuts == 0)
    #expect(
      try suspended(download, partial: partial { $0.acceptsRanges = false }, byBudget: true).cuts == 3)
  }

  @Test func `a verification that the budget cut twice is made without a budget`() throws {
    var download = try transfer { $0.partial = partial() }

    for cut in 1...2 {
      download = try suspended(download, partial: partial(), byBudget: true, whileVerifying: true)
      #expect(download.cuts == cut)
    }

    #expect(needsAttemptWithoutBudget(download))
    #expect(try suspended(download, partial: partial(), byBudget: true).cuts == 0)
  }

  // Files of servers that send an ETag and answer every range with 200 were requested forever, each run from byte 0.
  @Test
  func
    `a download that started over although its server promised to resume counts as one that cannot be resumed`()
    throws
  {
    var download = try transfer { $0.failures = 3 }
    download.partial = partial { $0.bytes = 1 }

    for cut in 1...2 {
      let next = try suspended(download, partial: partial(), startedOver: true, byBudget: true)
      #expect(next.cuts == cut)
      #expect(next.failures == 3)
      download.cuts = next.cuts
    }

    #expect(needsAttemptWithoutBudget(download))
    #expect(try suspended(download, partial: partial(), startedOver: true, byBudget: false).cuts == 2)
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
