// The schedule of a round: which feeds wait for their turn, which for the response of another feed, and how many are
// being fetched. A plain value; FetchPhase carries it out.

import Core

/// The due feeds of a round, each in one of three places until its fetch has ended.
struct FetchWork: Sendable {
  /// A feed whose turn it is, with its state.
  typealias Turn = (feed: FeedSpec, state: FeedState)

  /// How many feeds are under way.
  private(set) var underWay = 0
  private let turns: [FeedName: Turn]
  private var queues: FetchQueues
  private var shared: SharedRequests
  /// How many feeds of each host have not ended.
  private var unfinished: [String: Int] = [:]

  /// The feeds of a plan, all of them waiting.
  init(_ due: [PlannedFeed], states: [FeedName: FeedState], queues: FetchQueues) {
    turns = Dictionary(
      uniqueKeysWithValues: due.map { ($0.feed.name, ($0.feed, states[$0.feed.name] ?? FeedState())) })
    shared = SharedRequests(due, states)
    self.queues = queues
    for turn in turns.values { unfinished[turn.feed.hostToAsk(turn.state), default: 0] += 1 }
    for planned in due where !shared.isWaiting(planned.feed.name) { enqueue(planned) }
  }

  /// Whether nothing waits and nothing is under way.
  var isFinished: Bool { queues.isFinished && underWay == 0 }

  /// The next moment at which `take` returns a feed; nil if another fetch must end first, or nothing waits.
  var nextStart: Int64? { queues.nextStart }

  /// The hosts of feeds that have not ended, by the first address that each requests.
  var unfinishedHosts: some Collection<String> { unfinished.keys }

  /// Records a request to a host, so that the next request keeps the delay.
  mutating func noteRequest(to host: String, at moment: Int64) { queues.noteRequest(to: host, at: moment) }

  /// Removes the feeds that start now from the queue; from now on they are under way.
  mutating func take(at now: Int64) -> [Turn] {
    let starting = queues.take(at: now).compactMap { turns[$0] }
    underWay += starting.count
    return starting
  }

  /// Records that a feed's fetch has ended and is committed.
  mutating func end(_ feed: FeedName, at now: Int64) {
    queues.finished(feed, at: now)
    underWay -= 1
    finish(feed)
  }

  private mutating func finish(_ feed: FeedName) {
    guard let turn = turns[feed] else { return }
    let host = turn.feed.hostToAsk(turn.state)
    let left = (unfinished[host] ?? 0) - 1
    unfinished[host] = left > 0 ? left : nil
  }

  /// Removes the feeds that waited for a feed's response and share it; from now on they are under way.
  ///
  /// The others must send requests of their own, and wait for their turn.
  ///
  /// - Parameters:
  ///   - name: the feed that ended.
  ///   - trace: the facts of its fetch; nil if the run ended first.
  ///   - machine: this machine's identity.
  ///   - now: the start of the run.
  /// - Returns: the feeds that share the response.
  mutating func release(
    after name: FeedName, _ trace: FetchTrace?, machine: String, at now: Instant
  ) -> [Turn] {
    var sharing: [Turn] = []
    for planned in shared.release(after: name) {
      guard let turn = turns[planned.feed.name] else { continue }
      if let trace, trace.mayBeShared(with: turn.feed, turn.state, machine: machine, at: now) {
        sharing.append(turn)
      } else {
        enqueue(planned)
      }
    }
    underWay += sharing.count
    return sharing
  }

  /// Removes all feeds that wait, and returns their number; fetches under way continue.
  mutating func leaveAll() -> Int { leave(queues.cancelAll()) }

  /// Removes the feeds that wait for a host, and returns their number; fetches under way continue.
  mutating func leave(host: String) -> Int { leave(queues.cancel(host: host)) }

  /// Feeds that wait for the response of a removed feed are removed too.
  private mutating func leave(_ names: [FeedName]) -> Int {
    let left = names + names.flatMap { shared.release(after: $0).map(\.feed.name) }
    for name in left { finish(name) }
    return left.count
  }

  private mutating func enqueue(_ planned: PlannedFeed) {
    let feed = planned.feed
    let address = feed.addressToAsk(turns[feed.name]?.state ?? FeedState())
    queues.add(
      QueuedFeed(
        name: feed.name, host: feed.hostToAsk(turns[feed.name]?.state),
        isPublicHost: address?.isPublicHost ?? false, waitUntil: planned.decision.waitUntil,
        comesLast: planned.comesLast, connections: feed.network.connectionsPerHost,
        delay: feed.network.delayPerHost), isLocal: feed.isLocal)
  }
}

extension FeedSpec {
  /// The host to which the feed's fetch sends its first request.
  ///
  /// A file or command counts as a host of its own, and so does a secret address, because its host is not known.
  func hostToAsk(_ state: FeedState?) -> String {
    addressToAsk(state ?? FeedState())?.host ?? "feed:" + name.text
  }
}
