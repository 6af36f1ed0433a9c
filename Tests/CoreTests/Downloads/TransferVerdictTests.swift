// What becomes of a download after an attempt that brought no whole file.

import Core
import Testing

@Suite struct TransferVerdictTests {
  private func verdict(
    _ failure: TransferFailure, response: Response? = nil, hasProgressed: Bool = false,
    there: PartialDownload = partial(), began: Instant = now, at end: Instant = now,
    change: (inout Transfer) -> Void = { _ in }
  ) throws -> TransferVerdict {
    transferVerdict(
      try transfer(change: change), failure, response: response, hasProgressed: hasProgressed, partial: there,
      began: began, at: end, machine: "test")
  }

  private func leave(_ verdict: TransferVerdict) throws -> TransferLeave {
    guard case .again(let leave) = verdict else { throw Mistake.failed(verdict) }
    return leave
  }

  private enum Mistake: Error { case failed(TransferVerdict) }

  /// The wait until the next attempt in seconds.
  private func wait(_ verdict: TransferVerdict) throws -> Int64 {
    (try leave(verdict).notBefore ?? now).since(now).seconds
  }

  @Test(
    arguments: [
      (0, 300), (1, 600), (2, 1200), (3, 2400), (4, 4800), (5, 9600), (6, 19_200),
    ] as [(Int, Int64)])
  func `waits double with each attempt that brings nothing`(failures: Int, seconds: Int64) throws {
    let wait = try wait(verdict(.fetch(.cut("x"))) { $0.failures = failures })

    #expect((seconds...(seconds + seconds / 10)).contains(wait))
  }

  @Test func `the eighth attempt in a row that brings nothing is the last`() throws {
    guard
      case .failed(let reason, false) = try verdict(.fetch(.refused(host: "h")), change: { $0.failures = 7 })
    else { return #expect(Bool(false), "tried again") }

    #expect(reason == "h refused the connection; given up after 8 attempts")
  }

  @Test func `a byte of progress begins the count anew`() throws {
    let leave = try leave(verdict(.fetch(.cut("x")), hasProgressed: true) { $0.failures = 7 })

    #expect(leave.failures == 0)
    #expect(leave.status == .queued)
    #expect((now + .seconds(60)...now + .seconds(66)).contains(try #require(leave.notBefore)))
  }

  @Test(
    arguments: [
      (.fetch(.cut("x")), false, 8), (.page("x"), false, 3), (.fetch(.status(503)), false, 8),
      (.fetch(.rateLimited(status: 429, retryAfter: .days(30))), false, 2),
      (.fetch(.rateLimited(status: 429, retryAfter: .days(2))), true, 5),
      (.short(received: 1, total: 2), true, 10_000),
    ] as [(TransferFailure, Bool, Int)])
  func `nothing is tried for ever`(failure: TransferFailure, progresses: Bool, most: Int) throws {
    var download = try transfer()
    var moment = now
    var attempts = 0
    while attempts < 20_000 {
      attempts += 1
      let verdict = transferVerdict(
        download, failure, response: nil, hasProgressed: progresses, partial: partial(), began: moment,
        at: moment + .seconds(30), machine: "test")
      guard case .again(let leave) = verdict else { break }
      (download.failures, download.failingSince) = (leave.failures, leave.failingSince)
      download.reason = leave.reason
      moment = leave.notBefore ?? moment
    }

    #expect(attempts <= most)
    #expect(moment.since(now) <= .days(15))
  }

  @Test func `bytes that cannot be gone on with are no progress`() throws {
    let there = partial { $0.entityTag = nil }

    #expect(try leave(verdict(.fetch(.cut("x")), hasProgressed: true, there: there)).failures == 1)
  }

  @Test func `seven days of failing are the end, progress or not`() throws {
    let began = now - .days(7)

    guard
      case .failed(let reason, false) = try verdict(
        .fetch(.cut("x")), hasProgressed: true, change: { $0.failingSince = began })
    else { return #expect(Bool(false), "tried again") }
    #expect(reason.hasSuffix("; given up after 7 days"))
    let leave = try leave(verdict(.fetch(.cut("x"))) { $0.failingSince = began + .seconds(1) })
    #expect(leave.failingSince == began + .seconds(1))
  }

  @Test func `an attempt begins the seven days, unless they began under a clock set back since`() throws {
    let began = now - .minutes(9)

    #expect(try leave(verdict(.empty, began: began)).failingSince == began)
    #expect(
      try leave(verdict(.empty, began: began) { $0.failingSince = now + .days(9) }).failingSince == began)
  }

  @Test(
    arguments: [
      (.fetch(.status(404)), false), (.fetch(.status(410)), false), (.fetch(.status(451)), false),
      (.fetch(.status(401)), true), (.fetch(.status(407)), true),
      (.tooLarge(limit: ByteCount(1), size: nil), false), (.fetch(.tooLarge(ByteCount(1))), false),
      (.documents(.fileTooLarge(path: "/d")), false),
    ] as [(TransferFailure, Bool)])
  func `what will not pass fails at once`(failure: TransferFailure, needsCredentials: Bool) throws {
    #expect(
      try verdict(failure) == .failed(reason: text(of: failure), needsCredentials: needsCredentials))
  }

  @Test(arguments: [404, 410])
  func `a file that a push announced and that is not there is asked for once more`(status: Int) throws {
    let failure = TransferFailure.fetch(.status(status))
    func verdict(_ transfer: Transfer) -> TransferVerdict {
      transferVerdict(
        transfer, failure, response: nil, hasProgressed: false, partial: PartialDownload(), began: now,
        at: now,
        machine: "test", mayBeLate: true)
    }
    var transfer = try transfer()

    guard case .again(let leave) = verdict(transfer) else {
      return #expect(Bool(false), "not tried again")
    }
    #expect(leave.notBefore == now + .seconds(60))
    #expect(leave.failures == 1)
    transfer.failures = leave.failures
    #expect(verdict(transfer) == .failed(reason: text(of: failure), needsCredentials: false))
  }

  @Test func `what has no address of the web is not tried again`() throws {
    guard case .failed(_, needsCredentials: false) = try verdict(.noWebAddress)
    else { return #expect(Bool(false), "tried again") }
  }

  @Test(
    arguments: [
      .page("an HTML page"), .encoded("gzip"), .fetch(.status(403)), .fetch(.status(400)),
      .fetch(.insecureRedirect("h")), .fetch(.privateAddress("10.0.0.1")), .fetch(.tooManyRedirects(3)),
    ] as [TransferFailure])
  func `what a captive portal may have done is tried three times`(failure: TransferFailure) throws {
    #expect(try leave(verdict(failure) { $0.failures = 1 }).failures == 2)

    guard
      case .failed(_, false) = try verdict(
        failure,
        change: {
          $0.failures = 2
          $0.reason = text(of: failure)
        })
    else { return #expect(Bool(false), "tried again") }
  }

  @Test func `what a captive portal may have done is not the end after failures of another kind`() throws {
    let leave = try leave(
      verdict(.page("an HTML page")) {
        $0.failures = 5
        $0.reason = "the server answered 500"
      })

    #expect(leave.failures == 6)
    guard case .failed = try verdict(.page("an HTML page"), change: { $0.failures = 7 })
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
  func `what may pass is tried again`(failure: TransferFailure) throws {
    let leave = try leave(verdict(failure))

    #expect(leave.status == .queued)
    #expect(leave.failures == 1)
    #expect(leave.reason == text(of: failure))
  }

  @Test(
    arguments: [
      (.fetch(.offline), .queued), (.fetch(.captivePortal("h")), .queued), (.fetch(.status(511)), .queued),
      (.fetch(.noSecret("x")), .suspended), (.fetch(.transferLibrary("x")), .suspended),
      (.documents(.full(path: "/d")), .suspended), (.documents(.gone(path: "/d")), .suspended),
      (.documents(.denied(path: "/d", detail: "x")), .suspended),
      (.documents(.belowFreeSpace(path: "/d", free: ByteCount(1), floor: ByteCount(2))), .suspended),
    ] as [(TransferFailure, TransferStatus)])
  func `what is the matter with this machine is not counted`(
    failure: TransferFailure, status: TransferStatus
  ) throws {
    let since = now - .days(8)

    let leave = try leave(
      verdict(failure) {
        $0.failures = 7
        $0.failingSince = since
        $0.cuts = 1
      })

    #expect(leave.status == status)
    #expect(leave.failures == 7)
    #expect(leave.failingSince == since)
    #expect(leave.cuts == 1)
    #expect(leave.notBefore == now + .minutes(5))
    #expect(leave.partial == partial())
  }

  @Test(
    arguments: [
      ("3600", 3601), ("10", 300), ("99999999", 604_800), ("Mon, 02 Nov 2026 12:00:00 GMT", 7201),
    ] as [(String, Int64)])
  func `the server is obeyed when it asks to wait longer, for seven days at most`(
    value: String, seconds: Int64
  ) throws {
    let wait = try wait(verdict(.fetch(.status(503)), response: reply(503, [("Retry-After", value)])))

    #expect((seconds...(seconds + min(seconds / 10 + 1, 600))).contains(wait))
  }

  @Test func `a Retry-After that the failure carries is obeyed`() throws {
    let wait = try wait(verdict(.fetch(.rateLimited(status: 429, retryAfter: .hours(2)))))

    #expect((7201...7921).contains(wait))
  }

  @Test(
    arguments: [
      (.changed("x"), true), (.overlong(total: 1), true), (.empty, true),
      (.documents(.partialLost(path: "/d")), true), (.short(received: 1, total: 2), false),
      (.fetch(.cut("x")), false), (.page("x"), false), (.fetch(.status(403)), false),
    ] as [(TransferFailure, Bool)])
  func `what is there is dropped where it cannot be right`(failure: TransferFailure, isDropped: Bool) throws {
    #expect(try leave(verdict(failure)).partial == (isDropped ? PartialDownload() : partial()))
  }

  @Test func `a secret host stays out of the reason`() throws {
    let failure = TransferFailure.fetch(.refused(host: "secret.example"))

    let verdict = transferVerdict(
      try transfer(), failure, response: nil, hasProgressed: false, partial: partial(), began: now, at: now,
      machine: "test", hiding: "secret.example")

    #expect(try leave(verdict).reason == "*** refused the connection")
  }

  @Test func `a download that the budget stopped is suspended, and counts as no failure`() throws {
    let stopped = try transfer { $0.failures = 3 }

    let leave = leaveOfSuspended(stopped, partial: PartialDownload(), byBudget: true)

    #expect(leave.status == .suspended)
    #expect(leave.reason == "the budget ended")
    #expect(leave.notBefore == nil)
    #expect(leave.failures == 3)
    #expect(leave.cuts == 0)
    #expect(leaveOfSuspended(stopped, partial: partial(), byBudget: false).reason == "interrupted")
    #expect(leaveOfSuspended(stopped, partial: partial(), byBudget: false).failures == 0)
  }

  @Test func `one that cannot resume and was cut twice by the budget gets an attempt without one`() throws {
    let useless = partial { $0.entityTag = "W/\"1\"" }
    var download = try transfer()

    for cut in 1...2 {
      #expect(!needsAttemptWithoutBudget(download))
      download.cuts = leaveOfSuspended(download, partial: useless, byBudget: true).cuts
      #expect(download.cuts == cut)
    }

    #expect(needsAttemptWithoutBudget(download))
    #expect(leaveOfSuspended(download, partial: useless, byBudget: false).cuts == 2)
    #expect(leaveOfSuspended(download, partial: partial(), byBudget: true).cuts == 0)
    #expect(
      leaveOfSuspended(download, partial: partial { $0.acceptsRanges = false }, byBudget: true).cuts == 3)
  }

  // Servers that name an ETag and answer every range with 200 were asked for ever, each run from 0.
  @Test func `one that started over though it could be resumed, as its server says, is one that cannot`()
    throws
  {
    var download = try transfer { $0.failures = 3 }
    download.partial = partial { $0.bytes = 1 }

    for cut in 1...2 {
      let leave = leaveOfSuspended(download, partial: partial(), startedOver: true, byBudget: true)
      #expect(leave.cuts == cut)
      #expect(leave.failures == 3)
      download.cuts = leave.cuts
    }

    #expect(needsAttemptWithoutBudget(download))
    #expect(leaveOfSuspended(download, partial: partial(), startedOver: true, byBudget: false).cuts == 2)
    #expect(leaveOfSuspended(download, partial: partial(), byBudget: true).cuts == 0)
  }

  @Test(
    arguments: [
      (.fetch(.status(404)), "the server answered 404; the file is not there"),
      (.fetch(.status(500)), "the server answered 500"),
      (.fetch(.tooLarge(ByteCount(1000))), "the file is larger than 1.0 kB; see download.max-size"),
      (
        .tooLarge(limit: ByteCount(1000), size: ByteCount(2500)),
        "the file is 2.5 kB, larger than 1.0 kB; see download.max-size"
      ),
      (.short(received: 3, total: 10), "only 3 of 10 bytes came"), (.empty, "the file is empty"),
      (.page("an HTML page"), "the server sent an HTML page instead of the file"),
      (
        .documents(.gone(path: "/mnt/nas")),
        "the directory /mnt/nas is gone; mount it, or where it is to begin anew, mkdir -p /mnt/nas/.bgfetch"
      ),
      (
        .documents(.gone(path: "/mnt/nas/.bgfetch")),
        "the directory /mnt/nas/.bgfetch is gone; mount it, or where it is to begin anew, mkdir -p /mnt/nas/.bgfetch"
      ),
      (
        .documents(.nameRefused(path: "/d/café.mp3", detail: "Invalid argument")),
        "the file system does not take the name /d/café.mp3: Invalid argument; set download.name"
      ),
      (.fetch(.offline), "offline"),
    ] as [(TransferFailure, String)])
  func `failures are said of files, not of feeds`(failure: TransferFailure, words: String) {
    #expect(text(of: failure) == words)
  }
}
