// Decides which download is next. A plain value: it returns what may start, and its caller starts it.

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

  /// The settings for the downloads of a feed.
  private struct Rule {
    let limit: Int?
    /// The host of the feed's own body; a stand-in if the address is secret.
    let host: String
  }

  /// The downloads of one feed from one host, which wait for the same things.
  private struct Line: Hashable {
    let feed: FeedName
    let host: String
  }

  private var rules: [FeedName: Rule] = [:]
  private let connections: Int
  /// The downloads that may start now or from a moment on, in their order.
  private var waiting: [Line: [QueueRank]] = [:]
  /// The ends of rate limits.
  private var limitedHosts: [String: Instant] = [:]
  private var running: [Int64: Line] = [:]
  /// The hosts from which other machines download.
  private var hostsElsewhere: Set<String> = []
  /// Running downloads that no longer need their connection.
  private var received: Set<Int64> = []
  /// The downloads that each feed started in this run.
  private var started: [FeedName: Set<Int64>] = [:]
  /// The turn in which each feed last started a download.
  private var turns: [FeedName: Int] = [:]
  private var lastTurn = 0

  public init(_ feeds: [FeedSpec], network: NetworkSettings) {
    connections = network.connections
    for feed in feeds { add(feed) }
  }

  /// Adds a feed, so that its downloads can start.
  public mutating func add(_ feed: FeedSpec) {
    guard let download = feed.transferDownload else { return }
    rules[feed.name] = Rule(
      limit: download.limit,
      // The host of a secret address is unknown here, and counts as one of its own.
      host: feed.address?.host ?? "feed " + feed.name.text)
  }

  /// Replaces all waiting downloads, in any order; those under way are not affected.
  public mutating func replace(with transfers: [Transfer]) {
    waiting = [:]
    hostsElsewhere = []
    for transfer in transfers {
      if transfer.isHeld, running[transfer.number] == nil { hostsElsewhere.insert(line(of: transfer).host) }
      guard let (line, rank) = join(transfer) else { continue }
      waiting[line, default: []].append(rank)
    }
    for line in waiting.keys { waiting[line]?.sort() }
  }

  /// Starts the next download that may start now.
  ///
  /// - Parameters:
  ///   - now: the present moment.
  ///   - takesCrashed: whether a download may start during which two processes in a row died.
  /// - Returns: the download's number, or nil if none may start.
  public mutating func next(at now: Instant, takesCrashed: Bool = false) -> Int64? {
    guard running.count - received.count < connections, received.count < min(connections, Self.mostReceived)
    else { return nil }
    var busy = hostsElsewhere
    for (number, line) in running where !received.contains(number) { busy.insert(line.host) }
    var best: (line: Line, index: Int, rank: LineRank)?
    for (line, ranks) in waiting {
      guard let rule = rules[line.feed], limit(of: line, at: now) == nil, !busy.contains(line.host),
        let index = ranks.firstIndex(where: { isDue($0, at: now) && isWithinLimit($0, of: line, rule) }),
        ranks[index].crashes == 0 || takesCrashed && running.isEmpty
      else { continue }
      let rank = (ranks[index].crashes, turns[line.feed] ?? 0, ranks[index])
      if best.map({ rank < $0.rank }) ?? true { best = (line, index, rank) }
    }
    guard let (line, index, _) = best, let number = waiting[line]?.remove(at: index).number else {
      return nil
    }
    if waiting[line]?.isEmpty ?? false { waiting[line] = nil }
    running[number] = line
    lastTurn += 1
    turns[line.feed] = lastTurn
    started[line.feed, default: []].insert(number)
    return number
  }

  /// Applies the rate limit that a running download met: 429 (RFC 6585 section 4), or a 403 like it.
  public mutating func recordLimit(until moment: Instant, of number: Int64, at now: Instant) {
    guard let line = running[number] else { return }
    limitedHosts[line.host] = min(moment, now + .hours(1))
  }

  /// The end of the rate limit of a line.
  private func limit(of line: Line, at now: Instant) -> Instant? {
    limitedHosts[line.host].flatMap { Self.isDue($0, at: now) ? nil : $0 }
  }

  /// Frees the connection of a download whose bytes are complete, while it is being placed.
  public mutating func recordReceived(_ number: Int64) {
    if running[number] != nil { received.insert(number) }
  }

  /// Records that a download did not start after all, so that the feed's limit does not count it.
  public mutating func recordUnstarted(_ number: Int64) {
    if let line = running[number] { started[line.feed]?.remove(number) }
  }

  /// Ends a running download, which may wait again.
  public mutating func recordEnd(of number: Int64, waitsAs transfer: Transfer?) {
    running[number] = nil
    received.remove(number)
    guard let transfer, let (line, rank) = join(transfer) else { return }
    waiting[line, default: []].append(rank)
    waiting[line]?.sort()
  }

  /// The rank of a download in its line; nil if it cannot start.
  private func join(_ transfer: Transfer) -> (Line, QueueRank)? {
    guard transfer.status == .queued || transfer.status == .suspended, !transfer.isSuspendedByUser,
      !transfer.isHeld,
      running[transfer.number] == nil, rules[transfer.feed] != nil
    else { return nil }
    return (
      line(of: transfer),
      QueueRank(
        crashes: transfer.crashes < 2 ? 0 : transfer.crashes, isNew: transfer.partial.bytes == 0,
        number: transfer.number, notBefore: transfer.notBefore)
    )
  }

  private func line(of transfer: Transfer) -> Line {
    let isBody = transfer.asset.url.isEmpty
    let host = isBody ? rules[transfer.feed]?.host : WebAddress(transfer.asset.url)?.host
    return Line(feed: transfer.feed, host: host ?? "feed " + transfer.feed.text)
  }

  /// Whether the feed's `limit` lets a download start in this run.
  private func isWithinLimit(_ rank: QueueRank, of line: Line, _ rule: Rule) -> Bool {
    guard let limit = rule.limit else { return true }
    let started = started[line.feed] ?? []
    return started.count < limit || started.contains(rank.number)
  }

  private func isDue(_ rank: QueueRank, at now: Instant) -> Bool {
    rank.notBefore.map { Self.isDue($0, at: now) } ?? true
  }

  private static func isDue(_ moment: Instant, at now: Instant) -> Bool {
    moment <= now || !isPlausible(rateLimitEnd: moment, at: now)
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
