// Finds the feeds behind an address that a person types: the address itself, the feeds of a known site, the links of a
// page, or well-known places. Requests follow the rules of fetches.

import Core
import Formats
import Machine
import Running

/// Why no feed was found; addresses are masked.
enum FindingFailure: Error {
  /// The address could not be fetched, or is not a feed or page.
  case fetch(address: String, FetchFailure)
  /// The page neither links to a feed nor has one in a well-known place.
  case noFeed(address: String, isLogin: Bool)
  /// JSON that is not a feed, and the mapping that may read it.
  case otherJSON(address: String, mapping: String)
  /// No link of the page leads to a feed; the reason for the first link.
  case deadLinks(address: String, link: String, FetchFailure)
}

/// The result of a search.
struct FoundFeeds {
  var feeds: [FoundFeed]
  /// Further links of the page, which were not read: each costs a request.
  var unread: [FeedLink] = []
}

/// One search, with a limit of requests.
struct FeedFinder: Sendable {
  private let loop: CurlLoop
  private let network: NetworkSettings
  private let userAgent: String
  private let now: Instant
  /// The requests to public hosts.
  private let turns: HostTurns

  /// The most links of a page that are read.
  private static let maximumLinks = 5

  init(_ loop: CurlLoop, network: NetworkSettings, userAgent: String, now: Instant) {
    (self.loop, self.network, self.userAgent, self.now) = (loop, network, userAgent, now)
    turns = HostTurns(delay: network.delayPerHost)
  }

  /// The typed address and the private address that it led to, which decide what pages may link to.
  private struct Origin {
    var address: WebAddress
    var connected: NetworkAddress?
  }

  private enum Document {
    case feed(FoundFeed, ParsedFeed)
    case page(PageLinks, at: WebAddress, isLogin: Bool)
    /// JSON that is not a feed, with the mapping that may read it.
    case otherJSON(String)
  }

  /// The feeds behind the first of these addresses that can be reached; of another kind, only the document at the address itself.
  func feeds(
    of addresses: [WebAddress], as kind: FeedKind
  ) async throws(FindingFailure) -> FoundFeeds {
    try await firstReachable(of: addresses) { address throws(FindingFailure) in
      try await feeds(of: address, as: kind)
    }
  }

  /// The response of the first of these addresses that can be reached.
  func answer(of addresses: [WebAddress], as kind: FeedKind) async throws(FindingFailure) -> Answer {
    try await firstReachable(of: addresses) { address throws(FindingFailure) in
      var origin = Origin(address: address)
      return try await answer(at: address, as: kind, &origin, isLinked: false)
    }
  }

  private func firstReachable<Outcome>(
    of addresses: [WebAddress], _ find: (WebAddress) async throws(FindingFailure) -> Outcome
  ) async throws(FindingFailure) -> Outcome {
    for address in addresses.dropLast() {
      do throws(FindingFailure) {
        return try await find(address)
      } catch {
        guard case .fetch(_, let failure) = error, failure.allowsPlainHTTP(to: address) else { throw error }
      }
    }
    guard let last = addresses.last else { throw .noFeed(address: "", isLogin: false) }
    return try await find(last)
  }

  private func feeds(of address: WebAddress, as kind: FeedKind) async throws(FindingFailure) -> FoundFeeds {
    if kind == .feed, let site = SiteFeeds(of: address), let found = try await feed(of: site) {
      return FoundFeeds(feeds: [found])
    }
    var origin = Origin(address: address)
    switch try await document(at: address, as: kind, &origin) {
    case .feed(let feed, _): return FoundFeeds(feeds: [feed])
    case .otherJSON(let mapping): throw .otherJSON(address: address.masked, mapping: mapping)
    case .page(let links, let page, let isLogin):
      return try await feeds(linkedBy: links, of: page, origin, isLogin: isLogin)
    }
  }

  /// The feed of a known site; nil if the page has to be read after all.
  func feed(of site: SiteFeeds) async throws(FindingFailure) -> FoundFeed? {
    switch site {
    case .podcast(let lookup):
      guard let mapping = podcastLookupMapping else { return nil }
      var origin = Origin(address: lookup)
      guard case .feed(_, let entry) = try await document(at: lookup, as: .json(mapping), &origin) else {
        return nil
      }
      guard let link = entry.items.first?.link.flatMap(WebAddress.init) else {
        throw .noFeed(address: lookup.masked, isLogin: false)
      }
      guard case .feed(let feed, _) = try await document(at: link, &origin, isLinked: true) else {
        throw .noFeed(address: link.masked, isLogin: false)
      }
      return feed
    case .feeds(let addresses, let name):
      var found = try await firstFeed(at: addresses)
      found?.preferredName = name
      return found
    }
  }

  /// The first feed with items at one of these addresses, else the first without; `origin` is for addresses that a page chose.
  private func firstFeed(
    at addresses: [WebAddress], for origin: Origin? = nil
  ) async throws(FindingFailure) -> FoundFeed? {
    var empty: FoundFeed?
    for address in addresses {
      var start = origin ?? Origin(address: address)
      do throws(FindingFailure) {
        guard case .feed(let feed, _) = try await document(at: address, &start, isLinked: origin != nil)
        else { continue }
        guard feed.items == 0 else { return feed }
        empty = empty ?? feed
      } catch {
        guard case .fetch(_, let failure) = error, !failure.endsSearch else { throw error }
      }
    }
    return empty
  }

  private func feeds(
    linkedBy links: PageLinks, of page: WebAddress, _ origin: Origin, isLogin: Bool
  ) async throws(FindingFailure) -> FoundFeeds {
    let declared = linksToTry(links.declared, of: page, limit: .max)
    var tried = Array(declared.prefix(Self.maximumLinks))
    if tried.isEmpty { tried = linksToTry(links.likely, of: page, limit: 3) }
    var found: [FoundFeed] = []
    var dead: FindingFailure?
    for link in tried {
      var origin = origin
      do throws(FindingFailure) {
        guard case .feed(var feed, _) = try await document(at: link.address, &origin, isLinked: true) else {
          throw .fetch(address: link.address.masked, .notAFeed(.html))
        }
        if feed.title == nil { feed.title = link.title.map { cleanText($0, limit: 256) } }
        found.append(feed)
      } catch {
        dead = dead ?? error
      }
    }
    if !found.isEmpty {
      return FoundFeeds(feeds: distinct(found), unread: Array(declared.dropFirst(Self.maximumLinks)))
    }
    if case .fetch(let link, let failure) = dead {
      throw .deadLinks(address: page.masked, link: link, failure)
    }
    if !isLogin, let found = try await firstFeed(at: wellKnownAddresses(of: page), for: origin) {
      return FoundFeeds(feeds: [found])
    }
    throw .noFeed(address: page.masked, isLogin: isLogin)
  }
}

// MARK: Requests

extension FeedFinder {
  /// A response that may be a document.
  struct Answer {
    var response: Response
    var route: RequestRoute
    /// When its reading must have ended, in milliseconds.
    var end: Int64
  }

  /// Reads the document at an address.
  ///
  /// - Parameters:
  ///   - origin: what the person typed; its connection is noted.
  ///   - isLinked: whether a page chose the address; then the only private address that it may lead to is the person's.
  /// - Throws: `FindingFailure.fetch` with the address.
  private func document(
    at address: WebAddress, as kind: FeedKind = .feed, _ origin: inout Origin, isLinked: Bool = false
  ) async throws(FindingFailure) -> Document {
    let answer = try await answer(at: address, as: kind, &origin, isLinked: isLinked)
    do throws(FetchFailure) {
      return try read(answer, as: kind)
    } catch {
      throw .fetch(address: address.masked, error)
    }
  }

  private func answer(
    at address: WebAddress, as kind: FeedKind, _ origin: inout Origin, isLinked: Bool
  ) async throws(FindingFailure) -> Answer {
    var access = FeedAccess(address: origin.address)
    access.kind = kind
    var chain = RequestChain(
      access, validators: Validators(), network: network, userAgent: userAgent,
      startingAt: isLinked ? address : nil, connected: origin.connected)
    let end = WallClock.monotonicMilliseconds() + network.timeout.seconds * 1000
    var last: String?
    while true {
      let request = chain.request
      // A redirect within one host does not wait.
      if request.address.host != last { await waitForTurn(of: request.address) }
      last = request.address.host
      do throws(FetchFailure) {
        let response = try await loop.fetch(request)
        if request.address == origin.address { origin.connected = response.innerAddress }
        switch chain.handle(response) {
        case .again: continue
        case .failed(let failure): throw failure
        case .answered: break
        }
        if case .failed(let failure) = meaning(of: response, isConditional: false, at: now) { throw failure }
        return Answer(response: response, route: chain.route, end: end)
      } catch {
        throw .fetch(address: address.masked, error)
      }
    }
  }

  private func read(_ answer: Answer, as kind: FeedKind) throws(FetchFailure) -> Document {
    let (response, route) = (answer.response, answer.route)
    let feed: ParsedFeed
    do throws(FeedReadingFailure) {
      feed = try readFeed(
        response.body, as: kind, contentType: response["Content-Type"], address: route.end.text
      ) { WallClock.monotonicMilliseconds() > answer.end }
    } catch {
      let links = PageLinks(of: response, address: route.end.text)
      if kind == .feed, links.declared.isEmpty, case .unknown = error,
        let mapping = JSONValue(parsing: String(decoding: response.body, as: UTF8.self)).flatMap(
          likelyMapping)
      {
        return .otherJSON(mapping)
      }
      let failure = failure(of: response, notAFeed: error)
      // The header may link to a feed whatever the body is.
      guard kind.page == nil, error == .html || !links.declared.isEmpty else { throw failure }
      if case .challenged = failure, links.declared.isEmpty { throw failure }
      return .page(links, at: route.end, isLogin: failure == .loginPage)
    }
    guard feed.isComplete else { throw .truncated }
    // A permanent redirect is the feed's new address (RFC 9110 section 15.4.2).
    return .feed(FoundFeed(address: (route.permanentTarget ?? route.start).text, feed), feed)
  }

  /// Waits until a public host may get another request, as a run does.
  private func waitForTurn(of address: WebAddress) async {
    guard address.isPublicHost else { return }
    let now = WallClock.monotonicMilliseconds()
    let moment = turns.reserve(address.host, at: now)
    if moment > now { try? await WallClock.sleep(for: .milliseconds(moment - now)) }
  }
}

extension FetchFailure {
  /// Whether the same host would only repeat its response.
  fileprivate var endsSearch: Bool {
    switch self {
    case .status, .notAFeed, .truncated, .badRedirect, .privateAddress, .tooLarge, .loginPage: false
    default: true
    }
  }
}

extension Invocation {
  /// Runs a search for feeds, and ends its thread.
  func withFeedFinder<Outcome: Sendable>(
    _ network: NetworkSettings, _ search: (FeedFinder) async throws(FindingFailure) -> Outcome
  ) async throws -> Outcome {
    let loop = CurlLoop.ofProcess(connections: 2)
    defer { loop.shutdown() }
    do throws(FindingFailure) {
      return try await search(
        FeedFinder(loop, network: network, userAgent: Bgfetch.userAgent, now: clock.now()))
    } catch {
      throw ProgramFailure.notFound(findingText(error))
    }
  }
}
