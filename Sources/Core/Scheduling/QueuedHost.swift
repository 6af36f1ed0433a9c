// A waiting feed, the waiting feeds of one host, and the heap that orders feeds and hosts by time.

/// The waiting feeds of one host, and the earliest start of its next request.
struct QueuedHost: Sendable {
  /// Milliseconds between the starts of two requests.
  var delay: Int64 = 0
  /// The most fetches at a time.
  var connections = Int.max
  /// The earliest start of a request.
  var notBefore: Int64
  /// The number of running fetches.
  var running = 0
  /// The ticket of the host's only valid turn.
  var ticket = 0

  /// How often its turn was continued in a row.
  private var continued = 0
  /// The most feeds of one turn.
  private static let mostInTurn = 4

  /// The feeds that may start, in their order.
  private var ready: ArraySlice<FeedName> = []
  /// The feeds with an earliest start of their own.
  private var waiting = EarliestFirst<FeedName>()

  init(notBefore: Int64) {
    self.notBefore = notBefore
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
  mutating func add(_ feed: FeedName, at moment: Int64?, ticket: Int) {
    guard let moment else {
      ready.append(feed)
      return
    }
    waiting.insert(.init(moment: moment, ticket: ticket, value: feed))
  }

  /// Removes and returns the feed that starts now, if any.
  mutating func dequeueFirst(at now: Int64) -> FeedName? {
    guard now >= notBefore else { return nil }
    if let name = ready.popFirst() { return name }
    guard let first = waiting.first, first.moment <= now else { return nil }
    waiting.removeFirst()
    return first.value
  }

  /// Whether its next feed starts at once, now that one has ended and its connection is open.
  ///
  /// A public host has a delay, unless the configuration says otherwise.
  mutating func continuesTurn(at now: Int64) -> Bool {
    continued = delay == 0 && nextStart(at: now) == now ? (continued + 1) % Self.mostInTurn : 0
    return continued > 0
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

/// A binary heap of values, the earliest first; of equal moments, the lower ticket first.
struct EarliestFirst<Value: Sendable>: Sendable {
  /// A value with its moment in milliseconds.
  struct Entry: Sendable {
    var moment: Int64
    var ticket: Int
    var value: Value

    func comesBefore(_ other: Entry) -> Bool {
      (moment, ticket) < (other.moment, other.ticket)
    }
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }

  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].comesBefore(entries[parent]) else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  @discardableResult
  mutating func removeFirst() -> Entry? {
    guard let last = entries.popLast() else { return nil }
    guard let first = entries.first else { return last }
    entries[0] = last
    var parent = 0
    while true {
      var earliest = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < entries.count {
        if entries[child].comesBefore(entries[earliest]) { earliest = child }
      }
      guard earliest != parent else { return first }
      entries.swapAt(parent, earliest)
      parent = earliest
    }
  }

  /// Removes and returns all values, the earliest first.
  mutating func removeAll() -> [Value] {
    defer { entries = [] }
    return entries.sorted { $0.comesBefore($1) }.map(\.value)
  }
}

/// A due feed that waits for its host, or for the response of another feed.
public struct QueuedFeed: Hashable, Sendable {
  public var name: FeedName
  /// Its host, in lower case.
  public var host: String
  /// The earliest start; nil if it may start at once.
  public var waitUntil: Instant?
  /// Whether many people use the host, so that requests to it are spaced.
  public var isPublicHost: Bool
  /// Whether the document comes from a file or command of this machine.
  public var isLocal = false
  /// Whether it starts only after all others have finished, and alone.
  public var comesLast: Bool
  /// The most feeds of its host at a time; nil means the default.
  public var connections: Int?
  /// The least time between two requests to its host; nil means the default.
  public var delay: Interval?
  /// A hash of its request, the same only in this process; nil if it shares no response.
  var request: Int?
  /// Its place among the due feeds: the lowest comes first.
  var rank: Int64 = 0

  public init(
    name: FeedName, host: String, isPublicHost: Bool, waitUntil: Instant? = nil, comesLast: Bool = false,
    connections: Int? = nil, delay: Interval? = nil
  ) {
    (self.name, self.host, self.isPublicHost, self.waitUntil) = (name, host, isPublicHost, waitUntil)
    (self.comesLast, self.connections, self.delay) = (comesLast, connections, delay)
  }

  /// A feed of a plan, with its state at that time.
  public init(_ planned: PlannedFeed, _ state: FeedState) {
    let feed = planned.feed
    let address = feed.addressToAsk(state)
    self.init(
      name: feed.name, host: feed.hostToAsk(address), isPublicHost: address?.isPublicHost ?? false,
      waitUntil: planned.decision.waitUntil, comesLast: planned.comesLast,
      connections: feed.network.connectionsPerHost, delay: feed.network.delayPerHost)
    isLocal = feed.isLocal
    if !comesLast, feed.sharesRequests { request = RequestSource(feed, state).hashValue }
    rank = planned.rank
  }
}

extension FeedSpec {
  /// The host to which the feed's fetch sends its first request.
  public func hostToAsk(_ state: FeedState) -> String { hostToAsk(addressToAsk(state)) }

  /// A file or command counts as a host of its own, and so does a secret address, because its host is not known.
  fileprivate func hostToAsk(_ address: WebAddress?) -> String { address?.host ?? "feed:" + name.text }
}
