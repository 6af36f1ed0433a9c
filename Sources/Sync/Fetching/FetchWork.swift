// What a fetch phase has to do: which feeds wait for their turn, which for another one's answer, and how many are under
// way. A plain value: FetchPhase carries out what it says.

import Core

/// The due feeds of a fetch phase, each in one of three places until it has ended.
struct FetchWork: Sendable {
  /// A feed whose turn it is, with what is remembered of it.
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

  /// When `take` has something to give if nothing ends before; nil if it needs that, or never has.
  var nextStart: Int64? { queues.nextStart }

  /// The hosts of feeds that have not ended, by the address that each asks first.
  var unfinishedHosts: some Collection<String> { unfinished.keys }

  /// Notes a request to a host, which the next one to it has to keep away from.
  mutating func noteRequest(to host: String, at moment: Int64) { queues.noteRequest(to: host, at: moment) }

  /// Takes out the feeds that start now; from now on they are under way.
  mutating func take(at now: Int64) -> [Turn] {
    let starting = queues.take(at: now).compactMap { turns[$0] }
    underWay += starting.count
    return starting
  }

  /// Notes that a feed has ended, all that came of it committed.
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

  /// Takes out the feeds that waited for a feed's answer and share it; from now on they are under way.
  ///
  /// The others have to ask for themselves, and wait for their turn.
  ///
  /// - Parameters:
  ///   - name: the feed that ended.
  ///   - answer: what is known of its fetch; nil where the run ended first.
  ///   - machine: this machine's identity.
  ///   - now: the start of the run.
  /// - Returns: those that share the answer.
  mutating func release(
    after name: FeedName, _ answer: FetchTrace?, machine: String, at now: Instant
  ) -> [Turn] {
    var sharing: [Turn] = []
    for planned in shared.release(after: name) {
      guard let turn = turns[planned.feed.name] else { continue }
      if let answer, answer.mayBeShared(with: turn.feed, turn.state, machine: machine, at: now) {
        sharing.append(turn)
      } else {
        enqueue(planned)
      }
    }
    underWay += sharing.count
    return sharing
  }

  /// Takes out all that waits, and says how many that are; what is under way goes on.
  mutating func leaveAll() -> Int { leave(queues.cancelAll()) }

  /// Takes out what waits for a host, and says how many that are; what is under way goes on.
  mutating func leave(host: String) -> Int { leave(queues.cancel(host: host)) }

  /// Those that wait for the answers of feeds that are left are left, too.
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
        delay: feed.network.delayPerHost), isFile: feed.file != nil)
  }
}

extension FeedSpec {
  /// The host that a fetch of it asks first.
  ///
  /// A file goes by itself, and so does an address that is a secret: its host is not known.
  func hostToAsk(_ state: FeedState?) -> String {
    addressToAsk(state ?? FeedState())?.host ?? "feed:" + name.text
  }
}
