// Feeds of one run that would send the same request: one of them asks for all.

/// Feeds that are due in one run and would send the same request, so that only the first of them asks.
///
/// The same is: the same address but for its spelling, the same headers and credentials, by what the configuration
/// says of them, secrets by where they come from. A feed that is fetched last for its crashes is left to itself, and so
/// are a file and a feed of kind `asset`, whose answer goes to a place of its own.
public struct SharedRequests: Sendable {
  private var followers: [FeedName: [PlannedFeed]] = [:]
  private var waiting: Set<FeedName> = []

  /// The feeds of a plan that may share a request.
  public init(_ due: [PlannedFeed], _ states: [FeedName: FeedState]) {
    var leaders: [RequestSource: FeedName] = [:]
    let unknown = FeedState()
    // Who need not wait for the end of a server's wish asks for those who would.
    for planned in due.filter({ $0.decision.waitUntil == nil }) + due.filter({ $0.decision.waitUntil != nil })
    where !planned.comesLast && planned.feed.sharesRequests {
      let source = RequestSource(planned.feed, states[planned.feed.name] ?? unknown)
      if let leader = leaders[source] {
        followers[leader, default: []].append(planned)
        waiting.insert(planned.feed.name)
      } else {
        leaders[source] = planned.feed.name
      }
    }
  }

  /// Whether a feed waits for another one's answer.
  public func isWaiting(_ feed: FeedName) -> Bool { waiting.contains(feed) }

  /// Takes out the feeds that wait for the answer to one that has ended or will not be asked.
  public mutating func release(after leader: FeedName) -> [PlannedFeed] {
    let released = followers.removeValue(forKey: leader) ?? []
    for planned in released { waiting.remove(planned.feed.name) }
    return released
  }
}

extension FeedSpec {
  /// Whether the answer to another feed's request will do for it, if that is the same.
  var sharesRequests: Bool { kind != .asset && file == nil }
}

/// All that a feed's request is made of but its validators.
struct RequestSource: Hashable {
  let address: Address
  let headers: [HeaderSpec]
  let authentication: Authentication?
  /// Whether other JSON is asked for, which servers may be told by `Accept`.
  let isMapped: Bool
  /// A proxy, a limit or a `User-Agent` of its own may make it another answer.
  let network: NetworkSettings

  enum Address: Hashable {
    case known(String)
    case hidden(SecretText)
  }

  init(_ feed: FeedSpec, _ state: FeedState) {
    // Where the configured addresses differ, headers and credentials go to different origins.
    if let configured = feed.address {
      let learned = state.moves.isEmpty ? nil : feed.addressToAsk(state)
      address = .known(configured.normalized + (learned.map { " " + $0.normalized } ?? ""))
    } else {
      address = .hidden(feed.url)
    }
    headers = feed.headers
    authentication = feed.authentication
    isMapped = feed.kind != .feed
    network = feed.network
  }
}
