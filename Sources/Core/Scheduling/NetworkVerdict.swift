// Whether the machine is offline or behind a captive portal, judged by the fetches of a run.

/// What the fetches of a run say about this machine's network.
public enum NetworkVerdict: Hashable, Sendable {
  /// Something was reached.
  case online
  /// Nothing was, and that is not the feeds' fault: no failure counts.
  case offline
  /// The network answers in the feeds' place until somebody logs in, at this host: no failure counts.
  case captivePortal(String)
  /// Too little was tried to tell; failures count.
  case unknown
}

/// One fetch, as far as it says something about the network.
public struct HostAttempt: Hashable, Sendable {
  /// The host asked.
  public var host: String
  /// Why it failed; nil if it did not.
  public var failure: FetchFailure?
  /// The host that answered in its place, after a redirect that a network without log-in could have made; nil if
  /// none did.
  public var standIn: String?
  /// Whether it was asked in clear, so that the network could answer itself.
  public var isClear: Bool
  /// Whether it answered with a redirect before the failure, and so was reached.
  public var isRedirected = false

  /// A fetch from a host.
  public init(host: String, failure: FetchFailure?, standIn: String? = nil, isClear: Bool = false) {
    self.host = host
    self.failure = failure
    self.standIn = standIn
    self.isClear = isClear
  }

  /// A fetch by its route.
  ///
  /// A feed that failed before says nothing about the network: its address may have been parked.
  public init(_ route: RequestRoute, failure: FetchFailure?, hasFailedBefore: Bool) {
    host = route.start.host
    self.failure = failure
    standIn = hasFailedBefore ? nil : route.standIn
    isClear = route.start.scheme == "http"
    isRedirected = route.end != route.start
  }

  /// Whether the failure may be the network's and not the feed's, so that it is not counted before more feeds
  /// were tried.
  public var mayBeNetwork: Bool {
    switch failure {
    case nil, .rateLimited: false
    case .tls: true
    case .status(511): isClear
    case .some(let failure): failure.isConnectivity || standIn != nil
    }
  }
}

/// Judges whether the machine is offline.
///
/// It is when there is no usable route, or when at least two hosts were tried and all failed to be resolved
/// or reached, or their proxy did. A refused connection has reached its host. One reached host is enough for
/// `online`, so a caller may hold back only the failures that came before it, and count them then.
///
/// A captive portal shows by `511 Network Authentication Required` (RFC 6585 section 6), or by two hosts that
/// both were redirected to the same third one, for now and in clear, where no feed was. Certificates that are
/// not trusted are its doing too, but no sign of one.
///
/// - Parameters:
///   - attempts: the fetches so far; what never left the machine says nothing.
///   - hasRoute: whether any route leads out of the machine.
/// - Returns: the verdict; all but `online` may still become `online`.
public func networkVerdict(_ attempts: [HostAttempt], hasRoute: Bool) -> NetworkVerdict {
  var unreached: Set<String> = []
  var standIns: [String: Set<String>] = [:]
  var portal: String?
  var isReached = false
  for attempt in attempts {
    switch attempt.failure {
    case .noSecret, .suspended, .transferLibrary: continue
    case .status(511) where attempt.isClear: portal = portal ?? attempt.standIn ?? attempt.host
    case .some(let failure) where failure.isConnectivity || failure == .offline:
      if attempt.isRedirected { isReached = true } else { unreached.insert(attempt.host) }
    case .some where attempt.mayBeNetwork:
      guard let standIn = attempt.standIn else {
        isReached = true
        continue
      }
      standIns[standIn, default: []].insert(attempt.host)
    default: return .online
    }
  }
  portal = portal ?? standIns.filter { $0.value.count >= 2 }.keys.min()
  if let portal { return .captivePortal(portal) }
  if isReached || !standIns.isEmpty { return .online }
  return !hasRoute || unreached.count >= 2 ? .offline : .unknown
}
