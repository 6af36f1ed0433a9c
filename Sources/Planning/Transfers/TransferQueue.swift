// Which download is next. A plain value: it says what may start, others start it.

public import Model
public import Timing

/// The downloads of one run, held back so that no host is asked for too many at once and no feed keeps the others waiting.
///
/// The highest priority goes first. Feeds of one priority take turns; within a feed what was begun is brought to its end
/// before something new, and the rest goes in the order in which it was queued. At most `network.connections` run at a
/// time, at most `connections-per-host` of one host; where the feeds of a host differ, the fewest hold for all.
/// A feed's `limit` counts every download that the run sets going, those that an earlier run began too, but each once.
/// Those of feeds that are not configured or download nothing any more never start, and neither do held ones.
public struct TransferQueue: Sendable {
  /// The longest that a download may wait: a moment further away counts as stored under a clock that was set back since.
  public static let longestWait = longestRetryAfter

  private let feeds: [FeedName: FeedSpec]
  private let connections: Int
  /// The hosts of downloads, which do not change; empty where there is none.
  private var hosts: [Int64: String] = [:]
  /// What each feed has set going in this run.
  private var started: [FeedName: Set<Int64>] = [:]
  /// The turn in which each feed last started something.
  private var turns: [FeedName: Int] = [:]
  private var lastTurn = 0

  /// The queue of a run in which nothing has started yet.
  public init(_ feeds: [FeedSpec], network: NetworkSettings) {
    self.feeds = Dictionary(feeds.map { ($0.name, $0) }) { first, _ in first }
    connections = network.connections
  }

  /// Takes the next download that may start now; nil if none may.
  ///
  /// - Parameters:
  ///   - unsettled: all downloads that are not settled, in the order in which they were queued, running ones too.
  ///   - running: the numbers of those that this process is at.
  ///   - now: what `notBefore` is held against.
  /// - Returns: the download, which counts as started.
  public mutating func next(_ unsettled: [Transfer], running: Set<Int64>, at now: Instant) -> Transfer? {
    guard running.count < connections else { return nil }
    // By places, as copies of all of them would cost more than everything else here.
    for place in unsettled.indices where hosts[unsettled[place].number] == nil {
      hosts[unsettled[place].number] = host(of: unsettled[place])
    }
    let busy = Busy(unsettled, running: running, hosts: hosts, feeds: feeds)
    var best: (place: Int, rank: Rank)?
    for place in unsettled.indices {
      guard let feed = startable(unsettled[place], running: running), Self.isDue(unsettled[place], at: now)
      else { continue }
      let rank = Rank(
        priority: -(feed.transferDownload?.priority ?? 0), turn: turns[feed.name] ?? 0,
        isNew: unsettled[place].partial.bytes == 0, number: unsettled[place].number)
      guard best.map({ rank < $0.rank }) ?? true,
        busy.hasRoom(at: hosts[unsettled[place].number] ?? "", for: feed)
      else { continue }
      best = (place, rank)
    }
    guard let transfer = best.map({ unsettled[$0.place] }) else { return nil }
    lastTurn += 1
    turns[transfer.feed] = lastTurn
    started[transfer.feed, default: []].insert(transfer.number)
    return transfer
  }

  /// When the next download that waits for a moment may start; nil if none does.
  public func nextMoment(_ unsettled: [Transfer], running: Set<Int64>, after now: Instant) -> Instant? {
    unsettled.lazy.filter { startable($0, running: running) != nil && !Self.isDue($0, at: now) }
      .compactMap(\.notBefore).min()
  }

  /// Notes that a download has ended, settled or not.
  public mutating func noteEnd(of transfer: Transfer) {
    hosts[transfer.number] = nil
  }

  /// The feed of a download that may start as soon as its moment has come; nil if it may not in this run.
  private func startable(_ transfer: Transfer, running: Set<Int64>) -> FeedSpec? {
    guard transfer.status == .queued || transfer.status == .suspended, !transfer.isHeld,
      !running.contains(transfer.number), let feed = feeds[transfer.feed],
      let download = feed.transferDownload
    else { return nil }
    let started = started[feed.name] ?? []
    let isWithinLimit = download.limit.map { started.count < $0 } ?? true
    return isWithinLimit || started.contains(transfer.number) ? feed : nil
  }

  private static func isDue(_ transfer: Transfer, at now: Instant) -> Bool {
    guard let moment = transfer.notBefore else { return true }
    return moment <= now || !isPlausible(rateLimitEnd: moment, at: now)
  }

  private func host(of transfer: Transfer) -> String {
    let address =
      transfer.asset.url.isEmpty ? feeds[transfer.feed]?.address : WebAddress(transfer.asset.url)
    // The secret address of a feed has a host of its own as far as can be told.
    return address?.host ?? "feed " + transfer.feed.text
  }
}

/// In which order downloads start, the least first.
private struct Rank: Comparable {
  let priority: Int
  let turn: Int
  let isNew: Bool
  let number: Int64

  static func < (left: Rank, right: Rank) -> Bool {
    (left.priority, left.turn, left.isNew ? 1 : 0, left.number)
      < (right.priority, right.turn, right.isNew ? 1 : 0, right.number)
  }
}

/// How many downloads run on each host.
private struct Busy {
  private var counts: [String: (running: Int, most: Int)] = [:]

  init(_ unsettled: [Transfer], running: Set<Int64>, hosts: [Int64: String], feeds: [FeedName: FeedSpec]) {
    guard !running.isEmpty else { return }
    for place in unsettled.indices where running.contains(unsettled[place].number) {
      guard let host = hosts[unsettled[place].number] else { continue }
      let most = feeds[unsettled[place].feed]?.network.connectionsPerHost ?? .max
      let before = counts[host] ?? (0, .max)
      counts[host] = (before.running + 1, min(before.most, most))
    }
  }

  func hasRoom(at host: String, for feed: FeedSpec) -> Bool {
    guard let busy = counts[host] else { return true }
    return busy.running < min(busy.most, feed.network.connectionsPerHost)
  }
}
