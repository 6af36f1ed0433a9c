// Feeds that have the same request, so that one response serves all of them.

/// Due feeds with the same request, of which only the first one sends it.
///
/// Requests are the same if address (in any spelling), headers, body and credentials are configured alike; secrets compare
/// by their sources. Files, commands, feeds of kind `asset`, and feeds fetched last because of crashes never share.
///
/// Groups are found by hashes; `hasSameRequest` compares the requests themselves before a response is shared.
public struct SharedRequests: Sendable {
  private var followers: [FeedName: [QueuedFeed]] = [:]
  private var waiting: Set<FeedName> = []

  public init(_ due: [QueuedFeed]) {
    var leaders: [Int: FeedName] = [:]
    // Feeds that need not wait for a server's freshness come first, and send the request for feeds that would wait.
    for waits in [false, true] {
      for feed in due where (feed.waitUntil != nil) == waits {
        guard let request = feed.request else { continue }
        if let leader = leaders[request] {
          followers[leader, default: []].append(feed)
          waiting.insert(feed.name)
        } else {
          leaders[request] = feed.name
        }
      }
    }
  }

  /// The feeds that wait for the response to another one.
  public var waitingFeeds: [QueuedFeed] { followers.reduce(into: []) { $0 += $1.value } }

  /// Whether a feed waits for the response to another one.
  public func isWaiting(_ feed: FeedName) -> Bool { waiting.contains(feed) }

  /// Removes and returns the feeds that wait for a feed whose fetch has ended or will not happen.
  public mutating func release(after leader: FeedName) -> [QueuedFeed] {
    let released = followers.removeValue(forKey: leader) ?? []
    for feed in released { waiting.remove(feed.name) }
    return released
  }
}

/// Everything in a feed's request except validators.
struct RequestSource: Hashable {
  let address: Address
  let headers: [HeaderSpec]
  let authentication: Authentication?
  /// The file of the cookies.
  let cookies: String?
  let body: RequestBody?
  /// The `Accept` field, which depends on the kind.
  let accept: String
  /// The settings, because the response may depend on proxy, limits and `User-Agent`.
  let network: NetworkSettings

  enum Address: Hashable {
    case known(String)
    case other(FeedSource)
  }

  init(_ feed: FeedSpec, _ state: FeedState) {
    // If the configured addresses differ, headers and credentials go to different origins.
    if let configured = feed.address {
      let learned = state.moves.isEmpty ? nil : feed.addressToAsk(state)
      address = .known(configured.normalized + (learned.map { " " + $0.normalized } ?? ""))
    } else {
      address = .other(feed.source)
    }
    headers = feed.headers
    authentication = feed.authentication
    cookies = feed.cookies
    body = feed.body
    accept = feed.kind.accept
    network = feed.network
  }
}
