// The order in which the due feeds of a run reach their hosts. These values say which fetches may start; the run starts
// them.

/// The due feeds of a run, limited and spaced per host.
///
/// At most `network.connections` feeds run at a time, at most `connections-per-host` of one host, and the starts of two
/// requests to one public host are `delay-per-host` apart, across runs too. If feeds of a host differ in these, the fewest
/// connections and the longest delay apply to all of them. Hosts take turns, of one feed where there is a delay, else of up
/// to four, which can share a connection; the feeds of a host start in the order in which they were added. Times are milliseconds of a monotonic clock. Every operation is constant or logarithmic in the
/// number of feeds.
public struct HostQueue: Sendable {
  private var hosts: [QueuedHost] = []
  private var indexByHost: [String: Int] = [:]
  /// The indices of hosts that have a feed to start and a free connection.
  private var turns = EarliestFirst<Int>()
  private var lastTicket = 0
  private var running: [FeedName: Int] = [:]
  private var lastComers: [QueuedFeed] = []
  /// The connections that other rounds of the run use.
  fileprivate var others = 0
  /// The number of waiting feeds in `hosts`.
  private var waitingCount = 0

  private let network: NetworkSettings
  private let states: [String: HostState]
  private let runStart: Instant
  private let start: Int64
  private let deadline: Int64?

  /// An empty queue.
  ///
  /// - Parameters:
  ///   - network: the total of connections, and the defaults per host.
  ///   - hosts: the states of hosts from earlier runs.
  ///   - runStart: the wall clock at the run's start.
  ///   - start: the monotonic clock at the same moment.
  ///   - deadline: the moment from which on nothing starts; nil means never.
  public init(
    network: NetworkSettings, hosts: [String: HostState], runStart: Instant, start: Int64, deadline: Int64?
  ) {
    self.network = network
    states = hosts
    (self.runStart, self.start, self.deadline) = (runStart, start, deadline)
  }

  /// Whether nothing waits and nothing runs.
  public var isFinished: Bool { waitingCount == 0 && lastComers.isEmpty && running.isEmpty }

  /// Adds a feed behind those of its host.
  public mutating func add(_ feed: QueuedFeed) {
    let former = indexByHost[feed.host].flatMap { hosts[$0].nextStart(at: start) }
    let index = index(of: feed)
    guard !feed.comesLast else {
      lastComers.append(feed)
      return
    }
    lastTicket += 1
    hosts[index].add(feed.name, at: feed.waitUntil.map(milliseconds(of:)), ticket: lastTicket)
    waitingCount += 1
    // A host keeps its turn unless the new feed may start sooner than its other feeds.
    if former != hosts[index].nextStart(at: start) { takeTurn(index, at: start) }
  }

  /// Removes and returns the feeds that start now.
  public mutating func dequeue(at now: Int64) -> [FeedName] {
    guard isOpen(at: now) else { return [] }
    var started: [FeedName] = []
    while hasConnection, let turn = turns.first, turn.moment <= now {
      turns.removeFirst()
      guard hosts[turn.value].ticket == turn.ticket, let name = hosts[turn.value].dequeueFirst(at: now) else {
        continue
      }
      waitingCount -= 1
      begin(name, at: now, index: turn.value)
      takeTurn(turn.value, at: now)
      started.append(name)
    }
    dropStaleTurns()
    if let feed = lastComer, lastComerStart(feed) <= now {
      lastComers.removeFirst()
      begin(feed.name, at: now, index: index(of: feed))
      started.append(feed.name)
    }
    return started
  }

  /// Frees the connection of a feed whose fetch is committed.
  public mutating func finished(_ feed: FeedName, at now: Int64) {
    guard let index = running.removeValue(forKey: feed) else { return }
    hosts[index].running -= 1
    takeTurn(index, at: now, isContinued: hosts[index].continuesTurn(at: now))
  }

  /// Records a request of a running feed to another host, as after a redirect.
  public mutating func recordRequest(to host: String, at now: Int64) {
    guard let index = indexByHost[host], hosts[index].delay > 0 else { return }
    hosts[index].recordRequest(at: now)
    takeTurn(index, at: now)
  }

  /// When `take` can return something if no feed finishes before; nil if only a finished feed or nothing can change that.
  public var nextStart: Int64? {
    guard hasConnection else { return nil }
    let next = turns.first?.moment ?? lastComer.map(lastComerStart)
    return next.flatMap { isOpen(at: $0) ? $0 : nil }
  }

  /// The hosts of feeds that wait or run.
  public var unfinishedHosts: [String] {
    indexByHost.filter { hosts[$0.value].count + hosts[$0.value].running > 0 }.map(\.key)
      + lastComers.map(\.host)
  }

  /// Removes and returns the waiting feeds of a host, in order, as after a 429; running fetches continue.
  public mutating func cancel(host: String) -> [FeedName] {
    var names: [FeedName] = []
    if let index = indexByHost[host] {
      names = hosts[index].removeAll()
      waitingCount -= names.count
      dropStaleTurns()
    }
    names += lastComers.filter { $0.host == host }.map(\.name)
    lastComers.removeAll { $0.host == host }
    return names
  }

  /// Removes and returns all waiting feeds, as at the end of the budget; running fetches continue.
  public mutating func cancelAll() -> [FeedName] {
    let names = hosts.indices.flatMap { hosts[$0].removeAll() } + lastComers.map(\.name)
    waitingCount = 0
    turns = EarliestFirst()
    lastComers = []
    return names
  }
}

extension HostQueue {
  fileprivate var connections: Int { running.count }

  private var hasConnection: Bool { running.count + others < network.connections }

  private func isOpen(at moment: Int64) -> Bool { deadline.map { moment < $0 } ?? true }

  /// A moment of the wall clock on the monotonic clock, never too early.
  private func milliseconds(of moment: Instant) -> Int64 {
    let seconds = moment.secondsSince1970 - runStart.secondsSince1970
    return start + min(max(seconds, -Self.longestSeconds), Self.longestSeconds) * 1000
  }

  /// A month, longer than any run; prevents an overflow of milliseconds.
  private static var longestSeconds: Int64 { 30 * 86_400 }

  private mutating func index(of feed: QueuedFeed) -> Int {
    let index = indexByHost[feed.host] ?? hosts.count
    if index == hosts.count {
      hosts.append(QueuedHost(notBefore: start))
      indexByHost[feed.host] = index
    }
    hosts[index].connections = min(hosts[index].connections, feed.connections ?? network.connectionsPerHost)
    if feed.isPublicHost { space(index, of: feed.host, by: feed.delay ?? network.delayPerHost) }
    return index
  }

  /// Spaces the requests to a host by a delay, also from its last one in an earlier run.
  private mutating func space(_ index: Int, of host: String, by delay: Interval) {
    let milliseconds = min(delay.seconds, Self.longestSeconds) * 1000
    guard milliseconds > hosts[index].delay else { return }
    hosts[index].delay = milliseconds
    // A request in the future comes from a clock that was set back since.
    if let last = states[host]?.lastRequest, last <= runStart {
      let earliest = self.milliseconds(of: last + delay + wholeSecond)
      hosts[index].notBefore = max(hosts[index].notBefore, earliest)
    }
  }

  /// Moves a host to the end of the line, or to its front, if it has a feed to start and a free connection.
  private mutating func takeTurn(_ index: Int, at now: Int64, isContinued: Bool = false) {
    lastTicket += 1
    hosts[index].ticket = lastTicket
    if hosts[index].running < hosts[index].connections, let moment = hosts[index].nextStart(at: now) {
      turns.insert(.init(moment: isContinued ? start - 1 : moment, ticket: lastTicket, value: index))
    }
    dropStaleTurns()
  }

  /// Removes outdated turns from the front.
  private mutating func dropStaleTurns() {
    while let turn = turns.first, hosts[turn.value].ticket != turn.ticket || hosts[turn.value].count == 0 {
      turns.removeFirst()
    }
  }

  private mutating func begin(_ name: FeedName, at now: Int64, index: Int) {
    running[name] = index
    hosts[index].running += 1
    hosts[index].recordRequest(at: now)
  }

  /// The first of the feeds that start last; nil while others are left.
  private var lastComer: QueuedFeed? {
    waitingCount == 0 && running.isEmpty ? lastComers.first : nil
  }

  private func lastComerStart(_ feed: QueuedFeed) -> Int64 {
    let host = indexByHost[feed.host].map { hosts[$0].notBefore } ?? start
    return max(host, feed.waitUntil.map(milliseconds(of:)) ?? start)
  }
}

/// The due feeds of a run in two queues, so that files and commands of this machine never wait for the network.
public struct FetchQueues: Sendable {
  private var network: HostQueue
  private var local: HostQueue

  private static let localAtOnce = 4

  /// Empty queues; the parameters are those of HostQueue.
  public init(
    network settings: NetworkSettings, hosts: [String: HostState], runStart: Instant, start: Int64,
    deadline: Int64?
  ) {
    network = HostQueue(
      network: settings, hosts: hosts, runStart: runStart, start: start, deadline: deadline)
    var limits = NetworkSettings()
    limits.connections = Self.localAtOnce
    local = HostQueue(network: limits, hosts: [:], runStart: runStart, start: start, deadline: deadline)
  }

  /// Adds a feed at the end of its queue.
  public mutating func add(_ feed: QueuedFeed) {
    if feed.isLocal { local.add(feed) } else { network.add(feed) }
  }

  /// Whether nothing waits and nothing runs.
  public var isFinished: Bool { network.isFinished && local.isFinished }

  /// The connections in use.
  public var connections: Int { network.connections }

  /// Removes and returns the feeds that start now, while other rounds use some of the connections.
  public mutating func dequeue(at now: Int64, beside others: Int = 0) -> [FeedName] {
    network.others = others
    return local.dequeue(at: now) + network.dequeue(at: now)
  }

  public var nextStart: Int64? { [local.nextStart, network.nextStart].compactMap { $0 }.min() }

  public mutating func finished(_ feed: FeedName, at now: Int64) {
    local.finished(feed, at: now)
    network.finished(feed, at: now)
  }

  public mutating func recordRequest(to host: String, at now: Int64) {
    network.recordRequest(to: host, at: now)
  }

  /// The hosts of feeds that wait or run; a local feed counts as a host of its own.
  public var unfinishedHosts: [String] { local.unfinishedHosts + network.unfinishedHosts }

  public mutating func cancel(host: String) -> [FeedName] { network.cancel(host: host) }

  public mutating func cancelAll() -> [FeedName] { local.cancelAll() + network.cancelAll() }
}
