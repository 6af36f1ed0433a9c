// Failures for which the network may be at fault, not the feeds.

import Core
import Store

extension FetchRound {
  /// Commits the fetches that reached nothing: as offline if no host could be reached, and as the feeds' failures otherwise.
  mutating func settleUnreached(_ effects: Effects) async throws {
    guard !progress.unreached.isEmpty else { return }
    let unreached = progress.takeUnreached()
    var verdict = verdict(on: unreached, hasRoute: effects.machine.hasUsableRoute)
    let others = verdict == .unknown ? try await otherHosts(than: unreached, effects.store) : .unknown
    if others == .unreached { verdict = .offline }
    for (failure, var trace) in unreached {
      let counted =
        switch verdict {
        case .offline: FetchFailure.offline
        case .captivePortal(let host): FetchFailure.captivePortal(host)
        case .online, .unknown: failure
        }
      if case .reached(let moment) = others, let before = trace.state.lastAsked {
        trace.mayBeOffline = moment < before
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

  /// How other hosts answered in earlier runs, if a run of feeds that are due one by one leaves the question open.
  private func otherHosts(
    than unreached: [(failure: FetchFailure, trace: FetchTrace)], _ store: Store
  ) async throws -> OtherHosts {
    // The history of a shared state has the fetches of other machines.
    guard !fetch.settings.isShared, let host = unreached.first?.trace.route?.start.host, !isLoopback(host)
    else {
      return .unknown
    }
    let latest = HistoryPart(limit: 50)
    let history = try await store.fetches(latest, after: try await store.beginning(of: latest), atMost: 50)
    return OtherHosts(than: host, in: history.map(\.record))
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
    let isLocal = attempts.contains { attempt in
      if case .proxyUnreachable = attempt.failure { false } else { isLoopback(attempt.host) }
    }
    return verdict == .offline && isLocal ? .unknown : verdict
  }
}

extension FetchTrace {
  /// Whether a host may be named: this fetch sent it a request, and its address is not a secret.
  fileprivate func mayName(_ host: String) -> Bool {
    !feed.hasSecretAddress && route?.addresses.contains { $0.host == host } ?? false
  }
}
