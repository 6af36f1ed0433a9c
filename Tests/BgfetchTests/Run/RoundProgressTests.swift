// When a round warns, ends, writes the badge and reports progress; times are milliseconds.

import Core
import Testing

@testable import bgfetch

@Suite struct RoundProgressTests {
  private func progress(budget: Interval? = nil) -> RoundProgress {
    RoundProgress(due: 3, clock: BudgetClock(from: 1000, lasting: budget))
  }

  private func report(_ result: FetchResult, count: Int = 0) throws -> (FeedReport, FetchTrace) {
    let name = try #require(FeedName("planet"))
    let feed = FeedSpec(name: name, url: .plain("https://planet.example/"))
    let now = Instant(secondsSince1970: 0)
    var report = FeedReport(
      FinishedFetch(
        feed, FetchOutcome(result: result, reason: ""), state: FeedState(), started: now, ended: now,
        origin: EventOrigin(run: 1, time: now, cause: .timer)))
    report.count = count
    return (report, FetchTrace(due: DueFeed(feed, FeedState()), state: FeedState(), started: now))
  }

  /// Progress in which a feed with a new item ended at each of these moments.
  private func progress(endedAt moments: [Int64]) throws -> RoundProgress {
    var progress = progress()
    let (fetched, trace) = try report(.newData, count: 1)
    for moment in moments { progress.count(fetched, trace, at: moment) }
    return progress
  }

  @Test func `the end of the budget is reported once, and only if something is left`() {
    var progress = progress(budget: .seconds(10))

    let told = [(10_000, 0), (10_000, 2), (10_500, 2)].map { progress.expire(at: $0, left: $1) }
    #expect(told == [nil, .expired(left: 2), nil])
    #expect(progress.report.isExpired)
  }

  @Test func `progress is reported if no feed has ended for two seconds`() throws {
    var progress = try progress(endedAt: [5000, 6500])

    let told = [8499, 8500, 8501].map { progress.shouldDeliver(at: $0) }
    #expect(told == [false, true, false])
  }

  @Test func `progress is reported after ten seconds even while feeds end`() throws {
    var progress = try progress(endedAt: Array(stride(from: 0, through: 10_000, by: 1000)))

    let isReported = progress.shouldDeliver(at: 10_000)
    #expect(isReported)
  }

  @Test func `the badge is written at the first new item and then at most five times a second`() throws {
    var progress = progress()
    let (fetched, trace) = try report(.newData, count: 1)
    progress.count(fetched, trace, at: 5000)

    let isFirst = progress.shouldUpdateBadge(at: 5000)
    progress.count(fetched, trace, at: 5050)
    let isTooEarly = progress.shouldUpdateBadge(at: 5199)
    #expect(progress.nextWake(after: 5050, queue: nil) == 5200)
    let isLater = [5200, 9999].map { progress.shouldUpdateBadge(at: $0) }
    #expect(isFirst)
    #expect(!isTooEarly)
    #expect(isLater == [true, false])
  }

  // The loop woke every millisecond for a badge that it never wrote.
  @Test func `a badge that is not kept is written at the end of the round alone`() throws {
    var progress = RoundProgress(due: 3, clock: BudgetClock(from: 1000, lasting: nil), keepsBadge: false)
    let (fetched, trace) = try report(.newData, count: 1)
    progress.count(fetched, trace, at: 5000)

    let isWritten = progress.shouldUpdateBadge(at: 5000)
    #expect(!isWritten)
    // For the hooks.
    #expect(progress.nextWake(after: 5000, queue: nil) == 7000)
  }

  @Test func `a fetch without new items does not write the badge`() throws {
    var progress = progress()
    let (fetched, trace) = try report(.noData)
    progress.count(fetched, trace, at: 5000)

    let isWritten = progress.shouldUpdateBadge(at: 99_999)
    #expect(!isWritten)
  }

  @Test func `the counts add up`() throws {
    var progress = progress()
    for (result, count) in [(FetchResult.newData, 2), (.newData, 3), (.noData, 0), (.failed, 0)] {
      let (fetched, trace) = try report(result, count: count)
      progress.count(fetched, trace, at: 0)
    }
    progress.leave(4)

    let summary = "3 due, 2 new-data (5 items), 1 no-data, 1 failed, 4 left for a later run, badge 0"
    #expect(progress.report.totals.items == 5)
    #expect(progress.report.summary() == summary)
  }

  @Test(
    arguments: [
      (0, 0, 0, false, 0), (1, 1, 0, false, 0), (1, 0, 1, false, 3), (0, 0, 2, false, 4), (0, 0, 2, true, 75),
    ] as [(Int, Int, Int, Bool, Int32)])
  func `the exit status distinguishes some failures, all failures and offline`(
    new: Int, none: Int, failed: Int, isOffline: Bool, status: Int32
  ) {
    var report = RunReport()
    report.totals.newData = new
    report.totals.noData = none
    report.totals.failed = failed
    report.isOffline = isOffline

    #expect(report.status.code == status)
  }
}
