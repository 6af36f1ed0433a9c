// Which download is next. A plain value: it says what may start, others start it.

/// The downloads of one run, held back so that no host is asked for too many at once and no feed keeps the others waiting.
///
/// The highest priority goes first. Feeds of one priority take turns; within a feed what was begun is brought to its end
/// before something new, and the rest goes in the order in which it was queued. At most `network.connections` run at a
/// time, those that are only being placed included, and at most `connections-per-host` ask one host; where the feeds of
/// a host differ, the fewest hold for all.
/// A feed's `limit` counts every download that the run sets going, those that an earlier run began too, but each once.
/// A rate limit holds up the other downloads of its feed from that host, and of a public host for at most an hour those
/// of other feeds.
/// A download that ran when two processes in a row died may bring down this one as well: it starts only if asked for, when
/// nothing else may start or is under way.
/// Those of feeds that are not configured or download nothing any more never start, and neither do held ones.
/// To find the next one takes as long as there are feeds and hosts, however many downloads wait.
public struct TransferQueue: Sendable {
  /// The longest that a download may wait: a moment further away counts as stored under a clock that was set back since.
  public static let longestWait = longestRetryAfter

  /// What holds for the downloads of a feed.
  private struct Rule {
    let priority: Int
    let limit: Int?
    let connectionsPerHost: Int
    /// Where its own body is, as far as can be told.
    let host: String
  }

  /// Those who wait for the same: the downloads of one feed on one host.
  private struct Line: Hashable {
    let feed: FeedName
    let host: String
  }

  private let rules: [FeedName: Rule]
  private let connections: Int
  /// What may start, by its line, in the order in which it does.
  private var waiting: [Line: [Place]] = [:]
  /// What waits for a moment.
  private var later: [Int64: (moment: Instant, place: Place, line: Line)] = [:]
  /// What a rate limit holds up, and until when.
  private var limitedLines: [Line: Instant] = [:]
  private var limitedHosts: [String: Instant] = [:]
  /// What is under way.
  private var running: [Int64: Line] = [:]
  /// What is under way and needs its host no more.
  private var received: Set<Int64> = []
  /// What each feed has set going in this run.
  private var started: [FeedName: Set<Int64>] = [:]
  /// The turn in which each feed last started something.
  private var turns: [FeedName: Int] = [:]
  private var lastTurn = 0

  /// The queue of a run in which nothing has started yet.
  public init(_ feeds: [FeedSpec], network: NetworkSettings) {
    let rules = feeds.compactMap { feed in
      feed.transferDownload.map { download in
        // The secret address of a feed has a host of its own as far as can be told.
        let host = feed.address?.host ?? "feed " + feed.name.text
        return (
          feed.name,
          Rule(
            priority: download.priority, limit: download.limit,
            connectionsPerHost: feed.network.connectionsPerHost, host: host)
        )
      }
    }
    self.rules = Dictionary(rules) { first, _ in first }
    connections = network.connections
  }

  /// Forgets who waits, and has these wait, in any order; what is under way goes on, and does not wait as well.
  public mutating func replace(with transfers: [Transfer]) {
    waiting = [:]
    later = [:]
    for transfer in transfers {
      guard let (line, place) = join(transfer) else { continue }
      waiting[line, default: []].append(place)
    }
    for line in waiting.keys { waiting[line]?.sort() }
  }

  /// Takes the next download that may start now; nil if none may.
  ///
  /// - Parameters:
  ///   - now: what `notBefore` is held against.
  ///   - takesCrashed: whether a download may start that ran when two processes in a row died.
  /// - Returns: the number of the download, which counts as started, and as under way until its end.
  public mutating func next(at now: Instant, takesCrashed: Bool = false) -> Int64? {
    guard running.count < connections else { return nil }
    takeDue(at: now)
    let asking = running.lazy.filter { [received] in !received.contains($0.key) }.map(\.value)
    let busy = Busy(asking.map { ($0.host, rules[$0.feed]?.connectionsPerHost ?? .max) })
    var best: (line: Line, index: Int, rank: Rank)?
    for (line, places) in waiting {
      guard let rule = rules[line.feed], limit(of: line, at: now) == nil,
        busy.hasRoom(at: line.host, for: rule.connectionsPerHost),
        let index = places.firstIndex(where: { isWithinLimit($0.number, of: line.feed, rule) }),
        places[index].crashes == 0 || takesCrashed && running.isEmpty
      else { continue }
      let rank = Rank(
        crashes: places[index].crashes, priority: -rule.priority, turn: turns[line.feed] ?? 0,
        place: places[index])
      if best.map({ rank < $0.rank }) ?? true { best = (line, index, rank) }
    }
    guard let (line, index, rank) = best else { return nil }
    waiting[line]?.remove(at: index)
    if waiting[line]?.isEmpty ?? false { waiting[line] = nil }
    let number = rank.place.number
    running[number] = line
    lastTurn += 1
    turns[line.feed] = lastTurn
    started[line.feed, default: []].insert(number)
    return number
  }

  /// When the next download that waits for a moment may start; nil if none does.
  public func nextMoment(after now: Instant) -> Instant? {
    let ofTheirOwn = later.lazy.filter { number, wait in
      guard !Self.isDue(wait.moment, at: now), let rule = rules[wait.line.feed] else { return false }
      return isWithinLimit(number, of: wait.line.feed, rule)
    }.map(\.value.moment).min()
    let ofLimits = waiting.compactMap { line, places in
      rules[line.feed].flatMap { rule in
        places.contains { isWithinLimit($0.number, of: line.feed, rule) } ? limit(of: line, at: now) : nil
      }
    }.min()
    return [ofTheirOwn, ofLimits].compactMap { $0 }.min()
  }

  /// Notes a rate limit that a download under way met.
  public mutating func note(_ limit: TransferRateLimit, of number: Int64, at now: Instant) {
    guard let line = running[number] else { return }
    limitedLines[line] = limit.until
    if limit.isOfPublicHost { limitedHosts[line.host] = min(limit.until, now + .hours(1)) }
  }

  /// Until when a rate limit holds up a line; nil where none does.
  private func limit(of line: Line, at now: Instant) -> Instant? {
    [limitedLines[line], limitedHosts[line.host]].compactMap { $0 }.filter { !Self.isDue($0, at: now) }.max()
  }

  /// Notes that all of a download is there: while it is being placed, another one may ask its host.
  public mutating func noteReceived(_ number: Int64) {
    if running[number] != nil { received.insert(number) }
  }

  /// Notes that a download has ended; it may wait once more, as it is now.
  public mutating func noteEnd(of number: Int64, waitsAs transfer: Transfer?) {
    running[number] = nil
    received.remove(number)
    guard let transfer, let (line, place) = join(transfer) else { return }
    waiting[line, default: []].append(place)
    waiting[line]?.sort()
  }

  /// Where a download waits that may start at once; nil where it waits for its moment, which is noted, or for nothing.
  private mutating func join(_ transfer: Transfer) -> (Line, Place)? {
    guard transfer.status == .queued || transfer.status == .suspended, !transfer.isHeld,
      running[transfer.number] == nil, let rule = rules[transfer.feed]
    else { return nil }
    let host = transfer.asset.url.isEmpty ? rule.host : WebAddress(transfer.asset.url)?.host
    let line = Line(feed: transfer.feed, host: host ?? "feed " + transfer.feed.text)
    let place = Place(
      crashes: transfer.crashes < 2 ? 0 : transfer.crashes, isNew: transfer.partial.bytes == 0,
      number: transfer.number)
    guard let moment = transfer.notBefore else { return (line, place) }
    later[transfer.number] = (moment, place, line)
    return nil
  }

  /// Has those wait for nothing more whose moment has come.
  private mutating func takeDue(at now: Instant) {
    for (number, wait) in later where Self.isDue(wait.moment, at: now) {
      later[number] = nil
      waiting[wait.line, default: []].append(wait.place)
      waiting[wait.line]?.sort()
    }
  }

  /// Whether a download may start in this run, as far as its feed's limit goes.
  private func isWithinLimit(_ number: Int64, of feed: FeedName, _ rule: Rule) -> Bool {
    guard let limit = rule.limit else { return true }
    let started = started[feed] ?? []
    return started.count < limit || started.contains(number)
  }

  private static func isDue(_ moment: Instant, at now: Instant) -> Bool {
    moment <= now || !isPlausible(rateLimitEnd: moment, at: now)
  }
}

/// What a server said to a download that holds for others, too: 429 (RFC 6585 section 4).
public struct TransferRateLimit: Hashable, Sendable {
  /// When it ends.
  public let until: Instant
  /// Whether the host is that of everybody, and not one of a home or an office.
  public let isOfPublicHost: Bool

  /// A limit.
  public init(until: Instant, isOfPublicHost: Bool) {
    (self.until, self.isOfPublicHost) = (until, isOfPublicHost)
  }
}

/// The place of a download in its line: what was begun comes first, then what was queued first; last what ran when two
/// processes in a row died.
private struct Place: Comparable {
  /// Processes in a row that died while it ran; 0 for one.
  let crashes: Int
  let isNew: Bool
  let number: Int64

  static func < (left: Place, right: Place) -> Bool {
    (left.crashes, left.isNew ? 1 : 0, left.number) < (right.crashes, right.isNew ? 1 : 0, right.number)
  }
}

/// In which order lines move on, the least first.
private struct Rank: Comparable {
  let crashes: Int
  let priority: Int
  let turn: Int
  let place: Place

  static func < (left: Rank, right: Rank) -> Bool {
    (left.crashes, left.priority, left.turn, left.place)
      < (right.crashes, right.priority, right.turn, right.place)
  }
}

/// How many downloads run on each host.
private struct Busy {
  private var counts: [String: (running: Int, most: Int)] = [:]

  /// - Parameter running: for each that runs, its host, and the most that its feed allows there.
  init(_ running: [(String, Int)]) {
    for (host, most) in running {
      let before = counts[host] ?? (0, .max)
      counts[host] = (before.running + 1, min(before.most, most))
    }
  }

  func hasRoom(at host: String, for most: Int) -> Bool {
    guard let busy = counts[host] else { return true }
    return busy.running < min(busy.most, most)
  }
}
