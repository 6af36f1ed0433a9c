// The schedule of a round: which feeds wait for their turn, which for the response of another feed, and how many are
// being fetched. A plain value; FetchPhase carries it out.

import Core

/// The due feeds of a round, each in one of three places until its fetch has ended.
struct FetchWork: Sendable {
  /// A feed whose turn it is, with its state; both are large, and shared by all steps of its fetch.
  final class Turn: Sendable {
    let feed: FeedSpec
    let state: FeedState

    init(_ feed: FeedSpec, _ state: FeedState) { (self.feed, self.state) = (feed, state) }
  }

  /// How many feeds are under way.
  private(set) var underWay = 0
  private var queues: FetchQueues
  private var shared: SharedRequests
  /// The feeds under way that share a response, with their hosts.
  private var sharing: [FeedName: String] = [:]

  /// The feeds of a plan, all of them waiting.
  init(_ due: [QueuedFeed], queues: FetchQueues) {
    shared = SharedRequests(due)
    self.queues = queues
    for feed in due where !shared.isWaiting(feed.name) { self.queues.add(feed) }
  }

  /// Whether nothing waits and nothing is under way.
  var isFinished: Bool { queues.isFinished && underWay == 0 }

  /// The next moment at which `take` returns a feed; nil if another fetch must end first, or nothing waits.
  var nextStart: Int64? { queues.nextStart }

  /// The hosts of feeds that have not ended, by the first address that each requests.
  var unfinishedHosts: [String] {
    queues.unfinishedHosts + shared.waitingFeeds.map(\.host) + sharing.values
  }

  /// Records a request to a host, so that the next request keeps the delay.
  mutating func recordRequest(to host: String, at moment: Int64) {
    queues.recordRequest(to: host, at: moment)
  }

  /// The connections in use.
  var connections: Int { queues.connections }

  /// Removes the feeds that start now from the queue, while other rounds use some of the connections; from now on they are
  /// under way.
  mutating func dequeue(at now: Int64, beside others: Int = 0) -> [FeedName] {
    let starting = queues.dequeue(at: now, beside: others)
    underWay += starting.count
    return starting
  }

  /// Records that a feed's fetch has ended and is committed.
  mutating func end(_ feed: FeedName, at now: Int64) {
    queues.finished(feed, at: now)
    sharing[feed] = nil
    underWay -= 1
  }

  /// Removes and returns the feeds that waited for the response of a feed; `share` takes them.
  mutating func release(after feed: FeedName) -> [QueuedFeed] { shared.release(after: feed) }

  /// Decides which released feeds share a response; from now on those are under way.
  ///
  /// The others must send requests of their own, and wait for their turn.
  ///
  /// - Parameters:
  ///   - trace: the facts of the fetch with the response; nil if the run ended first.
  ///   - turns: the released feeds that could be read.
  ///   - released: all of them.
  ///   - machine: this machine's identity.
  ///   - now: the start of the run.
  /// - Returns: the feeds that share the response.
  mutating func share(
    _ trace: FetchTrace?, with turns: [Turn], of released: [QueuedFeed], machine: String, at now: Instant
  ) -> [Turn] {
    var turns = Dictionary(uniqueKeysWithValues: turns.map { ($0.feed.name, $0) })
    var sharing: [Turn] = []
    for feed in released {
      guard let turn = turns.removeValue(forKey: feed.name) else { continue }
      if let trace, trace.mayBeShared(with: turn.feed, turn.state, machine: machine, at: now) {
        sharing.append(turn)
        self.sharing[feed.name] = feed.host
      } else {
        queues.add(feed)
      }
    }
    underWay += sharing.count
    return sharing
  }

  /// Removes all feeds that wait, and returns their number; fetches under way continue.
  mutating func leaveAll() -> Int { leave(queues.cancelAll()) }

  /// Removes the feeds that wait for a host, and returns their number; fetches under way continue.
  mutating func leave(host: String) -> Int { leave(queues.cancel(host: host)) }

  /// Removes a feed that was to start and cannot, and returns how many feeds are left for that reason.
  mutating func leave(_ feed: FeedName, at now: Int64) -> Int {
    end(feed, at: now)
    return leave([feed])
  }

  /// Feeds that wait for the response of a removed feed are removed too.
  private mutating func leave(_ names: [FeedName]) -> Int {
    names.reduce(names.count) { $0 + shared.release(after: $1).count }
  }
}
