// Whether the machine is offline, judged by how the fetches of a run ended.

public import Model

/// What the fetches of a run say about this machine's network.
public enum NetworkVerdict: Hashable, Sendable {
  /// Something was reached.
  case online
  /// Nothing was, and that is not the feeds' fault: no failure counts.
  case offline
  /// Too little was tried to tell; failures count.
  case unknown
}

/// One fetch, as far as it says something about the network.
public struct HostAttempt: Hashable, Sendable {
  /// The host asked.
  public var host: String
  /// Why it failed; nil if it did not.
  public var failure: FetchFailure?

  /// A fetch from a host.
  public init(host: String, failure: FetchFailure?) {
    self.host = host
    self.failure = failure
  }
}

/// Judges whether the machine is offline.
///
/// It is when there is no usable route, or when at least two hosts were tried and all failed to be resolved
/// or reached. A refused connection has reached its host. One reached host is enough for `online`, so a
/// caller may hold back only the failures that came before it, and count them then.
///
/// - Parameters:
///   - attempts: the fetches so far; what never left the machine says nothing.
///   - hasRoute: whether any route leads out of the machine.
/// - Returns: the verdict; `unknown` and `offline` may still become `online`.
public func networkVerdict(_ attempts: [HostAttempt], hasRoute: Bool) -> NetworkVerdict {
  var unreached: Set<String> = []
  for attempt in attempts {
    switch attempt.failure {
    case .noSecret, .suspended, .transferLibrary: continue
    case .offline: unreached.insert(attempt.host)
    case .some(let failure) where failure.isConnectivity: unreached.insert(attempt.host)
    default: return .online
    }
  }
  return !hasRoute || unreached.count >= 2 ? .offline : .unknown
}
