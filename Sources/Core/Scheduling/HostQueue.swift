// The order in which the due feeds of a round reach their hosts. These values say which fetches may start; the round starts
// them.

/// The due feeds of a round, limited and spaced per host.
///
/// At most `network.connections` feeds run at a time, one of each host, and the starts of two requests to one public host
/// are `delay-per-host` apart, across runs too. Hosts take turns; the feeds of a host start in the order in which they
/// were added. Times are milliseconds of a monotonic clock.
public struct HostQueue: Sendable {
  private var hosts: [QueuedHost] = []
  private var indexByHost: [String: Int] = [:]
  /// The hosts that have a feed to start and a free connection, by their indices.
  private var turns = EarliestFirst<Int>()
  private var running: [FeedName: Int] = [:]
  /// The connections that other rounds of the run use.
  private var others = 0
  /// Whether its feeds are fetched one at a time, whatever other rounds do.
  public var isOneByOne = false
  /// The number of waiting feeds in `hosts`.
  private var waitingCount = 0

  private let network: NetworkSettings
  private let states: [String: HostState]
  private let roundStart: Instant
  private let start: Int64
  private let warning: Int64?

  /// An empty queue.
  ///
  /// - Parameters:
  ///   - network: the total of connections, and the defaults per host.
  ///   - hosts: the states of hosts from earlier runs.
  ///   - roundStart: the wall clock at the round's start.
  ///   - start: the monotonic clock at the same moment.
  ///   - warning: the moment of the budget from which on nothing starts; nil means never.
  public init(
    network: NetworkSettings, hosts: [String: HostState], roundStart: Instant, start: Int64, warning: Int64?
  ) {
    self.network = network
    states = hosts
    (self.roundStart, self.start, self.warning) = (roundStart, start, warning)
  }

  /// An empty queue for files and commands of this machine, which need no connection.
  public var ofThisMachine: HostQueue {
    var limits = NetworkSettings()
    limits.connections = 4
    var queue = HostQueue(
      network: limits, hosts: [:], roundStart: roundStart, start: start, warning: warning)
    queue.isOneByOne = isOneByOne
    return queue
  }

  /// The connections in use.
  public var connections: Int { running.count }

  /// Whether nothing waits and nothing runs.
  public var isFinished: Bool { waitingCount == 0 && running.isEmpty }

  /// Adds a feed behind those of its host.
  public mutating func add(_ feed: QueuedFeed) {
    let former = indexByHost[feed.host].flatMap { hosts[$0].nextStart(at: start) }
    let index = index(of: feed)
    hosts[index].add(feed.name, at: feed.waitUntil.map(milliseconds(of:)))
    waitingCount += 1
    // A host keeps its turn unless the new feed may start sooner than its other feeds.
    guard former != hosts[index].nextStart(at: start) else { return }
    if former != nil { turns.remove(index) }
    takeTurn(index, at: start)
  }

  /// Removes and returns the feeds that start now, while other rounds of the run use some of the connections.
  public mutating func dequeue(at now: Int64, beside others: Int = 0) -> [FeedName] {
    self.others = others
    guard isOpen(at: now) else { return [] }
    var started: [FeedName] = []
    while hasConnection, let (moment, index) = turns.first, moment <= now {
      turns.removeFirst()
      guard let name = hosts[index].dequeueFirst(at: now) else { continue }
      waitingCount -= 1
      running[name] = index
      hosts[index].isBusy = true
      hosts[index].recordRequest(at: now)
      started.append(name)
    }
    return started
  }

  /// Frees the connection of a feed whose fetch has ended.
  public mutating func finished(_ feed: FeedName, at now: Int64) {
    guard let index = running.removeValue(forKey: feed) else { return }
    hosts[index].isBusy = false
    takeTurn(index, at: now)
  }

  /// Records a request of a running feed, which after a redirect may be to another host.
  public mutating func recordRequest(to host: String, at now: Int64) {
    guard let index = indexByHost[host], hosts[index].delay > 0 else { return }
    hosts[index].recordRequest(at: now)
    // A busy host is not in the line.
    guard !hosts[index].isBusy else { return }
    turns.remove(index)
    takeTurn(index, at: now)
  }

  /// When `dequeue` can return something if no feed finishes before; nil if only a finished feed or nothing can change that.
  public var nextStart: Int64? {
    guard hasConnection else { return nil }
    return turns.first.flatMap { isOpen(at: $0.moment) ? $0.moment : nil }
  }

  /// The hosts of feeds that wait or run.
  public var unfinishedHosts: [String] {
    indexByHost.filter { hosts[$0.value].count > 0 || hosts[$0.value].isBusy }.map(\.key)
  }

  /// Removes and returns the waiting feeds of a host, in order, as after a 429; running fetches continue.
  public mutating func cancel(host: String) -> [FeedName] {
    guard let index = indexByHost[host] else { return [] }
    let names = hosts[index].removeAll()
    waitingCount -= names.count
    turns.remove(index)
    return names
  }

  /// Removes and returns all waiting feeds, as at the end of the budget; running fetches continue.
  public mutating func cancelAll() -> [FeedName] {
    let names = hosts.indices.flatMap { hosts[$0].removeAll() }
    waitingCount = 0
    turns = EarliestFirst()
    return names
  }
}

extension HostQueue {
  private var hasConnection: Bool {
    isOneByOne ? running.isEmpty : running.count + others < network.connections
  }

  private func isOpen(at moment: Int64) -> Bool { warning.map { moment < $0 } ?? true }

  /// A moment of the wall clock on the monotonic clock, never too early.
  private func milliseconds(of moment: Instant) -> Int64 {
    let seconds = moment.secondsSince1970 - roundStart.secondsSince1970
    return start + min(max(seconds, -Self.longestSeconds), Self.longestSeconds) * 1000
  }

  /// A month, longer than any run; prevents an overflow of milliseconds.
  private static var longestSeconds: Int64 { 30 * 86_400 }

  private mutating func index(of feed: QueuedFeed) -> Int {
    if let index = indexByHost[feed.host] { return index }
    indexByHost[feed.host] = hosts.count
    hosts.append(newHost(of: feed))
    return hosts.count - 1
  }

  /// A host whose requests are spaced if it is public, also from its last one in an earlier run.
  private func newHost(of feed: QueuedFeed) -> QueuedHost {
    let delay = network.delayPerHost
    guard feed.isPublicHost, delay > .zero else { return QueuedHost(delay: 0, notBefore: start) }
    var notBefore = start
    // A request in the future comes from a clock that was set back since.
    if let last = states[feed.host]?.lastRequest, last <= roundStart {
      notBefore = max(start, milliseconds(of: last + delay + wholeSecond))
    }
    return QueuedHost(delay: delay.seconds * 1000, notBefore: notBefore)
  }

  /// Puts a host that is not in the line at its end if it has a feed to start and a free connection.
  private mutating func takeTurn(_ index: Int, at now: Int64) {
    guard !hosts[index].isBusy, let moment = hosts[index].nextStart(at: now) else { return }
    turns.insert(index, at: moment)
  }
}

// MARK: Hosts

/// The waiting feeds of one host, and the earliest start of its next request.
struct QueuedHost: Sendable {
  /// Milliseconds between the starts of two requests.
  let delay: Int64
  /// The earliest start of a request.
  var notBefore: Int64
  /// Whether one of its feeds is being fetched.
  var isBusy = false

  /// The feeds that may start, in their order.
  private var ready: ArraySlice<FeedName> = []
  /// The feeds with an earliest start of their own.
  private var waiting = EarliestFirst<FeedName>()

  init(delay: Int64, notBefore: Int64) {
    (self.delay, self.notBefore) = (delay, notBefore)
  }

  /// How many feeds wait.
  var count: Int { ready.count + waiting.count }

  /// When the next feed may start, now or later; nil if none waits.
  func nextStart(at now: Int64) -> Int64? {
    let earliest = max(now, notBefore)
    if !ready.isEmpty { return earliest }
    return waiting.first.map { max(earliest, $0.moment) }
  }

  /// Adds a feed, with its earliest start if it has one.
  mutating func add(_ feed: FeedName, at moment: Int64?) {
    if let moment { waiting.insert(feed, at: moment) } else { ready.append(feed) }
  }

  /// Removes and returns the feed that starts now, if any.
  mutating func dequeueFirst(at now: Int64) -> FeedName? {
    guard now >= notBefore else { return nil }
    if let name = ready.popFirst() { return name }
    guard let first = waiting.first, first.moment <= now else { return nil }
    waiting.removeFirst()
    return first.value
  }

  /// Records a request that begins now.
  mutating func recordRequest(at now: Int64) {
    notBefore = max(notBefore, now + delay)
  }

  /// Removes and returns all feeds: the ones that may start, then the others, the earliest first.
  mutating func removeAll() -> [FeedName] {
    defer { ready = [] }
    return ready + waiting.removeAll()
  }
}

/// Values by moments in milliseconds, the earliest first; of equal moments, the one that was inserted first.
struct EarliestFirst<Value: Sendable>: Sendable {
  private var entries: ArraySlice<(moment: Int64, value: Value)> = []

  var count: Int { entries.count }

  var first: (moment: Int64, value: Value)? { entries.first }

  mutating func insert(_ value: Value, at moment: Int64) {
    // From the end, where most belong.
    let before = entries.lastIndex { $0.moment <= moment }
    entries.insert((moment, value), at: before.map { $0 + 1 } ?? entries.startIndex)
  }

  mutating func removeFirst() { entries.removeFirst() }

  mutating func remove(_ value: Value) where Value: Equatable { entries.removeAll { $0.value == value } }

  /// Removes and returns all values, the earliest first.
  mutating func removeAll() -> [Value] {
    defer { entries = [] }
    return entries.map(\.value)
  }
}

/// A due feed that waits for its host, or for the response of another feed.
public struct QueuedFeed: Sendable {
  public var name: FeedName
  /// Its host, in lower case.
  public var host: String
  /// The earliest start; nil if it may start at once.
  var waitUntil: Instant?
  /// Whether many people use the host, so that requests to it are spaced.
  var isPublicHost: Bool
  /// Whether the document comes from a file or command of this machine.
  public var isLocal = false
  /// Whether it starts only after all others have finished, and alone: it was being fetched in two crashes.
  public var comesLast = false
  /// A hash of its request, the same only in this process; nil if it shares no response.
  var request: Int?
  /// Its place among the due feeds: the lowest comes first.
  var rank: Int64 = 0

  public init(name: FeedName, host: String, isPublicHost: Bool, waitUntil: Instant? = nil) {
    (self.name, self.host, self.isPublicHost, self.waitUntil) = (name, host, isPublicHost, waitUntil)
  }

  /// A due feed, with its state at that time.
  init(_ feed: FeedSpec, _ state: FeedState, _ decision: DueDecision) {
    let address = feed.addressToAsk(state)
    self.init(
      name: feed.name, host: feed.hostToAsk(address), isPublicHost: address?.isPublicHost ?? false,
      waitUntil: decision.waitUntil)
    isLocal = feed.isLocal
    comesLast = state.crashes >= 2
    if !comesLast, feed.sharesRequests { request = RequestSource(feed, state).hashValue }
    rank =
      switch decision.reason {
      case _ where comesLast: .max
      // Their waiting time is unknown; sorted last, they could wait forever.
      case .neverFetched, .clockSetBack: .min
      default: -decision.overdueBy.seconds
      }
  }
}

extension FeedSpec {
  /// The host to which the feed's fetch sends its first request.
  public func hostToAsk(_ state: FeedState) -> String { hostToAsk(addressToAsk(state)) }

  /// A file or command counts as a host of its own, and so does a secret address, because its host is not known.
  fileprivate func hostToAsk(_ address: WebAddress?) -> String { address?.host ?? "feed:" + name.text }
}
