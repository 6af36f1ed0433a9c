// A feed with a made-up server, for `bgfetch simulate`: its request, and the simulated response.

/// The made-up result of a fetch.
public enum SimulatedResult: String, Sendable, CaseIterable {
  /// A new item, or a new file.
  case newData = "new-data"
  case noData = "no-data"
  case failed
  /// The server does not respond in time.
  case timeout
  /// The server asks for fewer requests.
  case rateLimited = "429"
}

/// A feed with a made-up server.
///
/// State, notifications, hooks and file names are the feed's own. Address, secrets and filters are not, and neither is its
/// selection of files: a new item has one file, which is downloaded if the feed downloads at all.
public struct Simulation: Sendable {
  /// The result of its fetches.
  let result: SimulatedResult
  /// The feed with the made-up server.
  public let feed: FeedSpec
  /// Its state, as if it had been fetched before and its validators were known.
  public let state: FeedState
  /// Distinguishes the items of this simulation from those of others.
  private let mark: String

  /// A simulation.
  ///
  /// - Parameters:
  ///   - feed: the feed as configured.
  ///   - state: its state.
  ///   - result: the result of its fetches.
  ///   - now: the time of the simulation.
  public init(of feed: FeedSpec, _ state: FeedState, result: SimulatedResult, at now: Instant) {
    self.result = result
    mark = "simulated-" + now.rfc3339
    self.feed = Self.simulated(feed)
    self.state = Self.known(state, self.feed, at: now)
  }

  /// The feed with a plain address, no secrets, and nothing that would reject the made-up items.
  private static func simulated(_ original: FeedSpec) -> FeedSpec {
    var feed = original
    if original.address == nil { feed.url = .plain("https://simulated.invalid/") }
    switch feed.kind {
    case .json, .html: feed.kind = .feed
    case .feed, .asset: break
    }
    feed.command = []
    feed.body = nil
    feed.cookies = nil
    feed.headers = []
    feed.authentication = nil
    feed.filter = ItemFilter()
    feed.network.delayPerHost = .zero
    if let own = original.download {
      var download = DownloadSpec()
      download.name = own.name
      feed.download = download
    }
    return feed
  }

  /// The state with validators of the made-up server.
  private static func known(_ stored: FeedState, _ feed: FeedSpec, at now: Instant) -> FeedState {
    var state = stored
    state.configurationFingerprint = feed.fingerprint
    state.requestFingerprint = feed.requestFingerprint
    state.moves = []
    state.crashes = 0
    state.hasBaseline = true
    state.recordsAssets = feed.download != nil
    state.hasTransferUnderWay = false
    state.validators = Validators()
    if let access = feed.plainAccess {
      state.validators.address = access.validatorKey(of: access.address)
      state.validators.entityTag = "\"simulated\""
      state.validators.since = now
    }
    return state
  }

  /// The response of the made-up server.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - number: the number of the fetch, from 1.
  /// - Returns: the response or failure.
  public func response(to request: Request, fetch number: Int) -> Result<Response, FetchFailure> {
    switch result {
    case .timeout: return .failure(.timeout(feed.network.timeout))
    case .failed: return .success(Response(status: 500))
    case .rateLimited: return .success(Response(status: 429))
    case .noData: return .success(Response(status: 304))
    case .newData:
      let tag = HeaderField("ETag", "\"\(mark)-\(number)\"")
      guard request.isDownload else {
        let type = HeaderField("Content-Type", "application/atom+xml")
        return .success(Response(status: 200, fields: [type, tag], body: Array(document(number).utf8)))
      }
      let body = Array("bgfetch simulate made this file up (\(mark)-\(number)).\n".utf8)
      let type = HeaderField("Content-Type", "application/octet-stream")
      let length = HeaderField("Content-Length", String(body.count))
      return .success(Response(status: 200, fields: [type, length, tag], body: body))
    }
  }

  /// An Atom document (RFC 4287) with one item.
  private func document(_ number: Int) -> String {
    let id = "\(mark)-\(number)"
    let page = state.link ?? feed.address?.text ?? "https://simulated.invalid/"
    let file =
      feed.download == nil
      ? "" : "<link rel=\"enclosure\" type=\"application/octet-stream\" href=\"\(Self.files)\(id).bin\"/>"
    let moment = mark.dropFirst("simulated-".count)
    return """
      <feed xmlns="http://www.w3.org/2005/Atom"><id>simulated</id><updated>\(moment)</updated>\
      <title>\(escapedMarkup(state.title ?? feed.title ?? feed.name.text))</title><link href="\(escapedMarkup(page))"/>\
      <entry><id>\(id)</id><title>Simulated item \(number)</title><updated>\(moment)</updated>\
      <link href="\(escapedMarkup(page + (page.contains("?") ? "&" : "?") + id))"/>\(file)\
      <author><name>bgfetch</name></author>\
      <summary>bgfetch simulate made this item up; no server was asked.</summary></entry></feed>
      """
  }

  private static let files = "https://simulated.invalid/"
}
