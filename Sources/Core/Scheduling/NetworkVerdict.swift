// Whether the machine is offline or behind a captive portal, judged by the fetches of a run.

/// A judgement of this machine's network by the fetches of a run.
public enum NetworkVerdict: Equatable, Sendable {
  /// At least one host was reached.
  case online
  /// No host was reached, which is not the feeds' fault; failures do not count.
  case offline
  /// A captive portal at this host answers for the feeds; failures do not count.
  case captivePortal(String)
  /// Too few hosts were tried; failures count.
  case unknown
}

/// A fetch, as far as it says something about the network.
public struct HostAttempt: Sendable {
  public var host: String
  public var failure: FetchFailure?
  /// The host that answered instead, after a redirect that a captive portal could have made; nil if none did.
  var answeringHost: String?
  /// Whether the request was unencrypted, so that the network could answer it.
  var isClear = false
  /// Whether the host answered with a redirect before the failure, and so was reached.
  var isRedirected = false
}

extension HostAttempt {
  /// The attempt of a route; a feed that failed before says nothing about captive portals: its domain may be parked.
  public init(_ route: RequestRoute, failure: FetchFailure?, hasFailedBefore: Bool) {
    host = route.start.host
    self.failure = failure
    answeringHost = hasFailedBefore ? nil : route.answeringHost
    isClear = route.start.scheme == "http"
    isRedirected = route.end != route.start
  }

  /// Whether the failure may be the network's, so that it counts only after more feeds were tried.
  public var mayBeNetwork: Bool {
    switch failure {
    case nil, .rateLimited: false
    case .tls: true
    case .status(511): isClear
    case .some(let failure): failure.isConnectivity || answeringHost != nil
    }
  }
}

/// Judges whether the machine is offline.
///
/// It is offline if there is no usable route, if the proxy was not reached, or if at least two hosts were tried and none was
/// resolved or reached. A refused connection has reached its host. One reached host means `online`; a caller may wait for it
/// before it counts earlier failures.
///
/// A captive portal shows by `511 Network Authentication Required` (RFC 6585 section 6), or by two unencrypted requests
/// that were redirected temporarily to the same third host, where no feed was. It also causes untrusted certificates, but
/// these alone prove nothing.
///
/// - Parameters:
///   - attempts: the fetches so far; fetches without a request do not count.
///   - hasRoute: whether any route leads out of the machine.
/// - Returns: the verdict; any but `online` may still become `online`.
public func networkVerdict(_ attempts: [HostAttempt], hasRoute: Bool) -> NetworkVerdict {
  var unreached: Set<String> = []
  var answeringHosts: [String: Set<String>] = [:]
  var portal: String?
  var (isReached, isProxyUnreached) = (false, false)
  for attempt in attempts {
    switch attempt.failure {
    case .noSecret, .suspended, .transferLibrary: continue
    case .status(511) where attempt.isClear: portal = portal ?? attempt.answeringHost ?? attempt.host
    case .some(let failure) where failure.isConnectivity || failure == .offline:
      if attempt.isRedirected { isReached = true } else { unreached.insert(attempt.host) }
      if case .proxyUnreachable = failure { isProxyUnreached = true }
    case .some where attempt.mayBeNetwork:
      guard let answeringHost = attempt.answeringHost else {
        isReached = true
        continue
      }
      answeringHosts[answeringHost, default: []].insert(attempt.host)
    default: return .online
    }
  }
  portal = portal ?? answeringHosts.filter { $0.value.count >= 2 }.keys.min()
  if let portal { return .captivePortal(portal) }
  if isReached || !answeringHosts.isEmpty { return .online }
  return !hasRoute || isProxyUnreached || unreached.count >= 2 ? .offline : .unknown
}

/// How other hosts answered last, for a run in which only one host was tried and not reached.
public enum OtherHosts: Equatable, Sendable {
  /// One answered at this time.
  case reached(Instant)
  /// One that worked before was not reached since then either, so the machine is probably offline.
  case unreached
  /// No other was tried.
  case unknown

  /// Reads the latest fetches, oldest first.
  ///
  /// A host of this machine says nothing about the network, and neither does a secret address, whose host is not stored.
  public init(than host: String, in history: [FetchRecord]) {
    var unreached: Set<String> = []
    var reached: Instant?
    for request in history.reversed().flatMap({ $0.requests.reversed() }) {
      guard let other = WebAddress(request.address)?.host, ![host, "***"].contains(other), !isLoopback(other)
      else { continue }
      if request.status != nil {
        reached = reached ?? request.started.instant
      } else if request.wasUnreached {
        // A host that was not reached while another one answered is at fault itself.
        if reached == nil { unreached.insert(other) } else { unreached.remove(other) }
      }
    }
    self = unreached.isEmpty ? reached.map(OtherHosts.reached) ?? .unknown : .unreached
  }
}

extension RequestRecord {
  /// Whether the failure says more about this machine's network than about the host.
  var wasUnreached: Bool {
    status == nil && FetchFailure.beginningsIfUnreached.contains { failure?.hasPrefix($0) ?? false }
  }
}

/// Whether a host is this machine, which can be reached without a network.
public func isLoopback(_ host: String) -> Bool { NetworkAddress.ofHost(host)?.isLoopback ?? false }
