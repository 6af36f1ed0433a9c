// Changes to transfers and the list of transfers, without a store.

import Core
import Testing

@testable import Running
@testable import bgfetch

private let now = Instant(secondsSince1970: 1_795_262_400)

private func transfer(_ status: TransferStatus, held: Bool = false) throws -> Transfer {
  let feed = try #require(FeedName("daily"))
  var transfer = Transfer(
    number: 12, feed: feed, session: 1,
    asset: Asset(url: "https://cdn.example/12.mp3?token=secret", length: 45_100_000),
    item: nil, description: "Episode 12", queued: now)
  transfer.status = status
  transfer.isSuspendedByUser = held
  return transfer
}

private var settings: Settings {
  var settings = Settings(path: "/c", documents: "/d", state: "/s", badge: "/b")
  settings.feeds = FeedName("daily").map { [FeedSpec(name: $0, url: .plain("https://daily.example/"))] } ?? []
  return settings
}

@Suite struct TransferChangeTests {
  @Test(
    arguments: [
      (TransferChange.retry, [TransferStatus.suspended, .failed, .cancelled]),
      (.pause, [.queued, .running, .suspended]), (.resume, [.suspended]),
      (.cancel, [.queued, .running, .suspended, .failed]),
    ])
  func `each change applies to some statuses, and the error says why not to the others`(
    change: TransferChange, statuses: [TransferStatus]
  ) throws {
    for status in TransferStatus.allCases {
      let transfer = try transfer(status)
      #expect(change.applies(to: transfer) == statuses.contains(status), "\(status)")
      if !statuses.contains(status) {
        #expect(change.refusal(of: transfer).hasPrefix("transfer 12 is \(status.rawValue)"))
      }
    }
  }

  @Test func `retry without arguments skips transfers that the person suspended or cancelled`() throws {
    #expect(!TransferChange.retry.appliesUnnamed(to: try transfer(.cancelled)))
    #expect(!TransferChange.retry.appliesUnnamed(to: try transfer(.suspended, held: true)))
    #expect(TransferChange.retry.appliesUnnamed(to: try transfer(.suspended)))
    #expect(TransferChange.retry.appliesUnnamed(to: try transfer(.failed)))
  }

  @Test func `a transfer that waits after a failure can be retried`() throws {
    var waiting = try transfer(.queued)
    waiting.notBefore = now

    #expect(TransferChange.retry.applies(to: waiting))
  }

  @Test func `digits and ranges are transfer numbers, all others are feeds`() {
    let words = TransferWords(["12", "#7", "20-22", "daily", "@audio", "12*", "-3"])

    #expect(words.numbers == [12...12, 7...7, 20...22])
    #expect(words.feeds == ["daily", "@audio", "12*", "-3"])
    #expect(TransferWords([]).isEmpty)
    #expect(TransferWords(["99999999999999999999"]).numbers == [Int64.max...Int64.max])
  }
}

@Suite struct TransferListTextTests {
  @Test func `a transfer is one line of a table`() throws {
    var stopped = try transfer(.suspended)
    stopped.partial.bytes = 12_300_000
    stopped.partial.total = 45_100_000
    stopped.partial.entityTag = "\"v1\""
    stopped.reason = "the budget ended"

    let lines = texts(settings).rows([stopped]).map(\.text)

    #expect(
      lines == [
        "TRANSFER  FEED   STATUS     PROGRESS                  RESUMES  WHAT        WHY",
        "#12       daily  suspended  12.3 MB of 45.1 MB, 27 %  yes      Episode 12  the budget ended; the next run continues",
      ])
  }

  /// A transfer with a status, and what the list says about it.
  struct Listed: Sendable {
    var status = TransferStatus.queued
    var reason: String?
    var isSuspendedByUser = false
    var notBefore: Instant?
    var isConfigured = true
    /// Whether a run is downloading.
    var isAtWork = false
    var text: String
  }

  @Test(arguments: [
    Listed(text: "the next run continues"),
    Listed(reason: "timed out", text: "timed out; the next run continues"),
    Listed(reason: "timed out", isConfigured: false, text: "its feed is no longer configured; timed out"),
    Listed(isAtWork: true, text: "waiting for its turn in the current run"),
    Listed(reason: "timed out", isAtWork: true, text: "timed out; waiting for its turn in the current run"),
    Listed(
      reason: "timed out", notBefore: now + .minutes(5), isAtWork: true,
      text: "timed out; next try at 2026-11-21 12:05:00"), Listed(status: .running, text: "under way"),
    Listed(
      status: .suspended, reason: "the budget ended", isAtWork: true,
      text: "the budget ended; the next run continues"),
    Listed(
      status: .suspended, isSuspendedByUser: true,
      text: "paused; bgfetch transfers resume 12 continues it"),
    Listed(status: .failed, reason: "404", text: "404; bgfetch transfers retry 12 tries it again"),
    Listed(status: .cancelled, text: ""),
    Listed(status: .finished, text: "the file was already up to date"),
  ])
  func `the list says why a transfer is not complete`(listed: Listed) throws {
    var waiting = try transfer(listed.status, held: listed.isSuspendedByUser)
    waiting.reason = listed.reason
    waiting.notBefore = listed.notBefore
    var configuration = settings
    if !listed.isConfigured { configuration.feeds = [] }

    let text = texts(configuration, isAtWork: listed.isAtWork).why(waiting)

    #expect(text == listed.text)
  }

  private func details(_ transfer: Transfer) -> String {
    texts(settings).details(transfer).map(\.text).joined(separator: "\n")
  }

  private func texts(_ settings: Settings, isAtWork: Bool = false) -> TransferTexts {
    TransferTexts(settings: settings, isAtWork: isAtWork, now: now, zone: .utc, page: .unlimited)
  }

  @Test
  func `failures in a row are counted for a continuing transfer, and part of the reason of a failed one`()
    throws
  {
    func lines(_ status: TransferStatus) throws -> String {
      var counted = try transfer(status)
      counted.failures = 7
      return details(counted)
    }

    #expect(try lines(.queued).contains("7 in a row without progress"))
    #expect(try !lines(.failed).contains("in a row"))
  }

  @Test func `possible secrets in an address are masked, in JSON too`() throws {
    let json = transferJSON(try transfer(.queued), settings).text

    #expect(json.contains(#""type":"transfer","number":12"#))
    #expect(!json.contains("secret"))
    #expect(try !details(transfer(.queued)).contains("secret"))
  }

  @Test func `a weak validator prevents resuming, and the list says so`() throws {
    var stopped = try transfer(.suspended)
    stopped.partial.bytes = 1
    stopped.partial.entityTag = "W/\"v1\""

    let resume = try #require(resumeText(stopped))

    #expect(!resume.canResume)
    #expect(resume.why.contains("weak"))
  }
}

@Suite struct TransferTextTests {
  @Test func `only problems that a person must solve are shown everywhere`() throws {
    let feed = try #require(FeedName("daily"))
    var named = try transfer(.running)
    named.description = "Episode\u{1B}[2J 12"
    let file = PlacedFile(directory: "/d", name: "12.mp3", size: 45_100_000, sha256: "ab", placed: now)
    let events: [(RunEvent, told: [RunAudience])] = [
      (.transferBegan(named, offset: 0, reason: nil), [.verbose]),
      (.transferBegan(named, offset: 5, reason: nil), [.verbose]),
      (.transferBegan(named, offset: 0, reason: "changed"), [.terminal, .journal, .verbose]),
      (.transferProgress([]), []),
      (.transferPlaced(named, file), [.terminal, .verbose]), (.transferUnchanged(named), [.verbose]),
      (.transferFailed(named, reason: "404"), [.terminal, .journal, .quiet, .verbose]),
      (.transferLeft(named, .queued, reason: "cut"), [.verbose]),
      (.transferLeft(named, .suspended, reason: "budget"), [.terminal, .verbose]),
      (.notice(.transferRemoved(feed, file)), [.verbose]),
      (.notice(.directoryGone(directory: "/d")), [.terminal, .journal, .quiet, .verbose]),
      (
        .notice(.lowSpace(directory: "/d", free: ByteCount(1), least: ByteCount(2))),
        [.terminal, .journal, .quiet, .verbose]
      ),
    ]

    for (event, told) in events {
      for audience in [RunAudience.terminal, .journal, .quiet, .verbose] {
        let text = runLine(event, for: audience)?.text
        #expect((text != nil) == told.contains(audience), "\(event) to \(audience)")
        #expect(!(text ?? "").contains("\u{1B}"), "\(audience) \(event)")
      }
    }
  }

  @Test func `progress is a JSON line for each transfer`() throws {
    let progress = TransferProgress(
      transfer: try transfer(.running), received: 5, total: nil, bytesPerSecond: 2)

    #expect(
      runJSON(.transferProgress([progress])).map(\.text) == [
        #"{"type":"transfer-progress","number":12,"feed":"daily","description":"Episode 12","written":5,"total":null,"#
          + #""bytes-per-second":2}"#
      ])
  }
}
