// Failures that may be the network's and not the feeds': what they are counted as.

import Core

extension FetchPhase {
  /// Commits what could not be reached: as the feeds' failures, or, where nothing could be reached, as
  /// offline.
  func settleUnreached(_ progress: inout PhaseProgress) async throws {
    guard !progress.unreached.isEmpty else { return }
    let unreached = progress.takeUnreached()
    let verdict = verdict(on: unreached, progress)
    for (failure, trace) in unreached {
      let counted =
        switch verdict {
        case .offline: FetchFailure.offline
        case .captivePortal(let host): FetchFailure.captivePortal(host)
        case .online, .unknown: failure
        }
      if case .committed(let report, _) = try await feedRun.commit(counted, trace) {
        progress.take(report, trace, at: feedRun.effects.machine.milliseconds())
      }
    }
    switch verdict {
    case .online, .unknown: return
    case .offline: feedRun.effects.report(.offline(feeds: unreached.count, portal: nil))
    case .captivePortal(let host): feedRun.effects.report(.offline(feeds: unreached.count, portal: host))
    }
    progress.report.isOffline = true
  }

  private func verdict(
    on unreached: [(failure: FetchFailure, trace: FetchTrace)], _ progress: PhaseProgress
  ) -> NetworkVerdict {
    guard !progress.hasReachedAnything else { return .online }
    let attempts = unreached.compactMap { $0.trace.attempt(failed: $0.failure) }
    let verdict = networkVerdict(attempts, hasRoute: feedRun.effects.machine.hasUsableRoute())
    if case .captivePortal(let host) = verdict, !unreached.contains(where: { $0.trace.mayName(host) }) {
      return .captivePortal("***")
    }
    if verdict == .offline, attempts.contains(where: { isLoopback($0.host) }) { return .unknown }
    return verdict
  }
}

extension FetchTrace {
  /// Whether a host may be named for the sake of this fetch: it was asked, and by an address that is no secret.
  fileprivate func mayName(_ host: String) -> Bool {
    !feed.hasSecretAddress && route?.addresses.contains { $0.host == host } ?? false
  }
}

/// Whether a host is this machine, which is there without any network.
private func isLoopback(_ host: String) -> Bool {
  host == "localhost" || host.hasPrefix("127.") || host == "::1"
}
