// When a round warns, ends and reports progress; times are milliseconds.

import Core
import Testing

@testable import Running

@Suite struct RoundProgressTests {
  private func progress(budget: Interval? = nil) -> RoundProgress {
    RoundProgress(due: 3, budget: Budget(from: 1000, lasting: budget))
  }

  private func report(_ result: FetchResult, count: Int = 0) throws -> (FeedReport, FetchTrace) {
    let name = try #require(FeedName("planet"))
    let feed = FeedSpec(name: name, url: .plain("https://planet.example/"))
    let now = Instant(secondsSince1970: 0)
    var report = FeedReport(
      FinishedFetch(
        feed, FetchOutcome(result: result, reason: ""), state: FeedState(), started: now, ended: now,
        origin: EventOrigin(round: 1, time: now, cause: .timer)))
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
    #expect(told == [nil, .notice(.expired(left: 2)), nil])
    #expect(progress.report.isExpired)
  }

  @Test func `progress is reported if no feed has ended for two seconds`() throws {
    var progress = try progress(endedAt: [5000, 6500])

    let told = [8499, 8500, 8501].map { progress.beginsDelivery(at: $0) }
    #expect(told == [false, true, false])
  }

  @Test func `progress is reported after ten seconds even while feeds end`() throws {
    var progress = try progress(endedAt: Array(stride(from: 0, through: 10_000, by: 1000)))

    let isReported = progress.beginsDelivery(at: 10_000)
    #expect(isReported)
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
