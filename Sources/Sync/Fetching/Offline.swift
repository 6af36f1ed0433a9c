// Failures for which the network may be at fault, not the feeds.

import Core

extension FetchRound {
  /// Commits the fetches that reached nothing: as offline if no host could be reached, and as the feeds' failures otherwise.
  mutating func settleUnreached(_ effects: Effects) async throws {
    guard !progress.unreached.isEmpty else { return }
    let unreached = progress.takeUnreached()
    let verdict = verdict(on: unreached, hasRoute: effects.machine.hasUsableRoute)
    for (failure, trace) in unreached {
      let counted =
        switch verdict {
        case .offline: FetchFailure.offline
        case .captivePortal(let host): FetchFailure.captivePortal(host)
        case .online, .unknown: failure
        }
      if case .committed(let report, _) = try await fetch.commitFailure(counted, trace) {
        progress.take(report, trace, at: effects.machine.milliseconds())
      }
    }
    switch verdict {
    case .online, .unknown: return
    case .offline: effects.report(.offline(feeds: unreached.count, portal: nil))
    case .captivePortal(let host): effects.report(.offline(feeds: unreached.count, portal: host))
    }
    progress.report.isOffline = true
  }

  private func verdict(
    on unreached: [(failure: FetchFailure, trace: FetchTrace)], hasRoute: () -> Bool
  ) -> NetworkVerdict {
    guard !progress.hasReachedAnything else { return .online }
    let attempts = unreached.compactMap { $0.trace.attempt(failed: $0.failure) }
    let verdict = networkVerdict(attempts, hasRoute: hasRoute())
    if case .captivePortal(let host) = verdict, !unreached.contains(where: { $0.trace.mayName(host) }) {
      return .captivePortal("***")
    }
    if verdict == .offline, attempts.contains(where: { isLoopback($0.host) }) { return .unknown }
    return verdict
  }
}

extension FetchTrace {
  /// Whether a host may be named: this fetch sent it a request, and its address is not a secret.
  fileprivate func mayName(_ host: String) -> Bool {
    !feed.hasSecretAddress && route?.addresses.contains { $0.host == host } ?? false
  }
}

/// Whether a host is this machine, which can be reached without a network.
private func isLoopback(_ host: String) -> Bool {
  host == "localhost" || host.hasPrefix("127.") || host == "::1"
}
