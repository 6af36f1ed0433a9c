// The downloads of one run: which is next, which wait, and the totals. A plain value: it returns what may start, and its caller
// starts it.

/// The queue of one run's downloads, fair to feeds and polite to hosts.
///
/// Feeds take turns; within a feed resumed downloads come before new ones, and the rest in the order in which they were
/// queued. At most `network.connections` run at a time, one from each host. As many again, and no more than `mostReceived`,
/// may be complete and wait to be placed.
///
/// - A feed's `limit` counts every download that the run starts, resumed ones too, each once.
/// - A rate limit applies to all downloads from that host, for at most an hour.
/// - A download during which two processes in a row died may crash this one as well: it starts only on demand, when
///   nothing else may start or is under way.
/// - Suspended downloads never start, nor do those of feeds that are no longer configured or no longer download.
///
/// Finding the next download takes time for each feed and host, not for each waiting download.
public struct TransferQueue: Sendable {
  /// The longest wait of a download; a later moment was stored before the clock was set back, and is ignored.
  public static let longestWait = longestRetryAfter

  /// The most complete downloads that wait to be placed; each keeps its file open.
  private static let mostReceived = 32

  /// The downloads of one feed from one host, which wait for the same things.
  private struct Line: Hashable {
    let feed: FeedName
    let host: String
  }

  private let configured: FeedList
  private let connections: Int
  /// The feeds of the transfers; most feeds have none.
  private var feeds: [FeedName: FeedSpec] = [:]
  /// The transfers that are not settled.
  private var unsettled: [Int64: Transfer] = [:]
  /// The transfers that this run postponed, as they were then; a transfer without a moment waits for a later run, or until
  /// another process changes it.
  private var resting: [Int64: Transfer] = [:]
  /// The downloads that may start now or from a moment on, in their order.
  private var waiting: [Line: [QueueRank]] = [:]
  /// The running downloads.
  private var lines: [Int64: Line] = [:]
  /// Running downloads that no longer need their connection.
  private var received: Set<Int64> = []
  /// The ends of rate limits.
  private var limitedHosts: [String: Instant] = [:]
  /// The hosts from which other machines download.
  private var hostsElsewhere: Set<String> = []
  /// The downloads that each feed started in this run.
  private var started: [FeedName: Set<Int64>] = [:]
  /// The turn in which each feed last started a download.
  private var turns: [FeedName: Int] = [:]
  private var lastTurn = 0
  private var ended = TransferTotals()
  /// Whether no further download starts.
  public private(set) var isClosed = false
  /// Whether to start downloads during which two processes in a row died.
  public var takesCrashed = false

  public init(_ feeds: FeedList, network: NetworkSettings) {
    configured = feeds
    connections = network.connections
  }

  public var running: Set<Int64> { Set(lines.keys) }

  /// Replaces the transfers with those in the store, in any order; returns the running ones that another process took over.
  public mutating func update(_ stored: [Transfer]) -> [Int64] {
    let wanted = Set(stored.map(\.feed)).subtracting(feeds.keys)
    for feed in configured.named(wanted) { feeds[feed.name] = feed }
    var now = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0) })
    for (number, transfer) in now {
      if let left = resting[number], !left.hasSameWait(as: transfer) { resting[number] = nil }
      if resting[number] == nil { now[number] = transfer.asForNextRun }
    }
    // A running transfer stays in the queue until its attempt ends, even if the store has settled it.
    let ended = running.filter { now[$0].map { $0.status != .running || $0.isSuspendedByUser } ?? true }
    for number in running where now[number] == nil { now[number] = unsettled[number] }
    unsettled = now
    formLines()
    return ended.sorted()
  }

  /// The commands of the conditions of all these transfers.
  public var commands: Set<[String]> {
    let waiting = unsettled.values.filter { !$0.isSuspendedByUser }
    return Set(Set(waiting.map(\.feed)).compactMap { feeds[$0]?.transferDownload?.conditions?.command })
      .subtracting([[]])
  }

  /// Lets transfers start whose conditions hold now.
  public mutating func endWaits(where isReady: (Transfer, FeedSpec) -> Bool) {
    let ready = resting.values.filter { transfer in
      transfer.isWaiting && feeds[transfer.feed].map { isReady(transfer, $0) } ?? false
    }
    guard !ready.isEmpty else { return }
    for transfer in ready {
      resting[transfer.number] = nil
      unsettled[transfer.number] = transfer.asForNextRun
    }
    formLines()
  }

  /// Starts the next download that may start now, and returns it with its feed.
  public mutating func next(at now: Instant) -> (Transfer, FeedSpec)? {
    guard !isClosed, lines.count - received.count < connections,
      received.count < min(connections, Self.mostReceived)
    else { return nil }
    var busy = hostsElsewhere
    for (number, line) in lines where !received.contains(number) { busy.insert(line.host) }
    var best: (line: Line, index: Int, rank: LineRank)?
    for (line, ranks) in waiting {
      guard !busy.contains(line.host), !isInForce(rateLimitEnd: limitedHosts[line.host], at: now),
        let index = ranks.firstIndex(where: {
          !isInForce(rateLimitEnd: $0.notBefore, at: now) && isWithinLimit($0, of: line)
        }),
        ranks[index].crashes == 0 || takesCrashed && lines.isEmpty
      else { continue }
      let rank = (ranks[index].crashes, turns[line.feed] ?? 0, ranks[index])
      if best.map({ rank < $0.rank }) ?? true { best = (line, index, rank) }
    }
    guard let (line, index, _) = best, let number = waiting[line]?.remove(at: index).number,
      let transfer = unsettled[number], let feed = feeds[line.feed]
    else { return nil }
    if waiting[line]?.isEmpty ?? false { waiting[line] = nil }
    resting[number] = nil
    lines[number] = line
    lastTurn += 1
    turns[line.feed] = lastTurn
    started[line.feed, default: []].insert(number)
    return (transfer, feed)
  }

  /// Whether a download may start.
  public func hasNext(at now: Instant) -> Bool {
    var copy = self
    return copy.next(at: now) != nil
  }

  /// Frees the connection of a download whose bytes are complete, while it is being placed.
  public mutating func recordReceived(_ number: Int64) {
    if lines[number] != nil { received.insert(number) }
  }

  public mutating func close() { isClosed = true }

  /// Whether a running download continues after the end of the budget.
  public func ignoresBudget(_ number: Int64) -> Bool {
    unsettled[number].map(needsAttemptWithoutBudget) ?? false
  }

  /// Ends a running download; its host is left alone if it has met a rate limit: 429 (RFC 6585 section 4), or a 403 like it.
  public mutating func end(_ number: Int64, _ outcome: TransferOutcome, at now: Instant) {
    let line = lines.removeValue(forKey: number)
    received.remove(number)
    guard let transfer = unsettled.removeValue(forKey: number) else { return }
    switch outcome {
    case .placed(_, let isResumed):
      ended.finished += 1
      if isResumed { ended.resumed += 1 }
    case .unchanged: ended.finished += transfer.isFeedBody ? 0 : 1
    case .failed: ended.failed += transfer.isFeedBody ? 0 : 1
    case .postponed(let next, let limit):
      if let limit, let line { limitedHosts[line.host] = min(limit, now + .hours(1)) }
      unsettled[number] = next
      resting[number] = next
      if let line = join(next) { waiting[line]?.sort() }
    case .cancelled, .omitted, .lost: break
    }
  }

  /// Ends a download that did not start after all, so that the feed's limit does not count it.
  public mutating func leave(_ number: Int64, _ outcome: TransferOutcome, at now: Instant) {
    if let line = lines[number] { started[line.feed]?.remove(number) }
    end(number, outcome, at: now)
  }

  /// The totals, with the transfers that still wait.
  public var totals: TransferTotals {
    var totals = ended
    totals.left = unsettled.values.count { !$0.isSuspendedByUser && feeds[$0.feed] != nil }
    return totals
  }

  private mutating func formLines() {
    waiting = [:]
    hostsElsewhere = []
    for transfer in unsettled.values {
      if transfer.isHeld, lines[transfer.number] == nil { hostsElsewhere.insert(line(of: transfer).host) }
      join(transfer)
    }
    for line in waiting.keys { waiting[line]?.sort() }
  }

  /// Adds a download at the end of its line, which is returned; nil if it cannot start.
  @discardableResult
  private mutating func join(_ transfer: Transfer) -> Line? {
    let number = transfer.number
    guard transfer.status == .queued || transfer.status == .suspended, !transfer.isSuspendedByUser,
      !transfer.isHeld, lines[number] == nil, resting[number] == nil || transfer.notBefore != nil,
      feeds[transfer.feed]?.transferDownload != nil
    else { return nil }
    let line = line(of: transfer)
    waiting[line, default: []].append(
      QueueRank(
        crashes: transfer.crashes < 2 ? 0 : transfer.crashes, isNew: transfer.partial.bytes == 0,
        number: number, notBefore: transfer.notBefore))
    return line
  }

  private func line(of transfer: Transfer) -> Line {
    let host =
      transfer.isFeedBody
      ? feeds[transfer.feed]?.address?.host : WebAddress(transfer.asset.url)?.host
    // The host of a secret address is unknown here, and counts as one of its own.
    return Line(feed: transfer.feed, host: host ?? "feed " + transfer.feed.text)
  }

  /// Whether the feed's `limit` lets a download start in this run.
  private func isWithinLimit(_ rank: QueueRank, of line: Line) -> Bool {
    guard let limit = feeds[line.feed]?.transferDownload?.limit else { return true }
    let started = started[line.feed] ?? []
    return started.count < limit || started.contains(rank.number)
  }
}

/// The rank of a download in its line: resumed downloads first, then those queued first; at the end downloads during which
/// two processes in a row died.
private struct QueueRank: Comparable {
  /// Processes in a row that died during the download, from two on; else 0.
  let crashes: Int
  let isNew: Bool
  let number: Int64
  let notBefore: Instant?

  static func < (left: QueueRank, right: QueueRank) -> Bool {
    (left.crashes, left.isNew ? 1 : 0, left.number) < (right.crashes, right.isNew ? 1 : 0, right.number)
  }
}

/// The order of lines, the least first.
private typealias LineRank = (crashes: Int, turn: Int, rank: QueueRank)

extension Transfer {
  /// The transfer for a run that has not tried it yet.
  ///
  /// A suspended transfer may start at once: a directory that was gone or full may have been repaired. Only the body of
  /// a feed whose fetch failed waits for the feed's rules.
  fileprivate var asForNextRun: Transfer {
    guard status == .suspended, !isFeedBody || failures == 0 else { return self }
    var copy = self
    copy.notBefore = nil
    return copy
  }

  /// Whether the transfer still waits for the same thing.
  fileprivate func hasSameWait(as other: Transfer) -> Bool {
    status == other.status && isSuspendedByUser == other.isSuspendedByUser && notBefore == other.notBefore
  }
}
