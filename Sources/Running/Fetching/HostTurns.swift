// The requests of one process to each host: how many are under way, and when the last one began. A request takes its moment
// here when it has a connection to its host, just before it is sent, so that the time between two requests is right on the wire.

package import Core
import Synchronization

/// The requests of a process to each host; all rounds of a run share it.
package final class HostTurns: Sendable {
  private struct Host {
    var isBusy = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// When the last request begins, in the machine's milliseconds.
    var last: Int64?
  }

  /// A request to a host that begins at a moment, in the machine's milliseconds.
  typealias Moment = (host: String, moment: Int64)

  private struct State {
    var hosts: [String: Host] = [:]
    /// The moments that were taken since the last call of `takeMoments`.
    var taken: [Moment] = []
    /// With how many hosts those whose delay has passed are forgotten.
    var most = 1000

    mutating func record(_ host: String, _ moment: Int64) {
      // Another request may have a later moment already.
      hosts[host, default: Host()].last = max(moment, hosts[host]?.last ?? moment)
      taken.append((host, moment))
    }

    /// Forgets the hosts without a request since a moment if there are many hosts.
    mutating func forget(before moment: Int64) {
      guard hosts.count > most else { return }
      hosts = hosts.filter { _, host in host.isBusy || host.last.map { $0 > moment } ?? false }
      most = max(1000, 2 * hosts.count)
    }
  }

  private let state = Mutex(State())
  /// The least time between two requests to a host, in milliseconds: one for all feeds, as it is no key of a feed.
  private let delay: Int64

  package init(delay: Interval) { self.delay = delay.seconds * 1000 }

  /// Waits until no request to a host is under way, and begins one, which `leave` ends.
  func enter(_ host: String) async {
    await withCheckedContinuation { turn in
      let isFree = state.withLock { state in
        var known = state.hosts[host] ?? Host()
        defer { state.hosts[host] = known }
        guard !known.isBusy else {
          known.waiting.append(turn)
          return false
        }
        known.isBusy = true
        return true
      }
      if isFree { turn.resume() }
    }
  }

  /// Ends a request, and lets the next one to its host begin.
  func leave(_ host: String) {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard var known = state.hosts[host] else { return nil }
      defer { state.hosts[host] = !known.isBusy && known.last == nil ? nil : known }
      guard known.waiting.isEmpty else { return known.waiting.removeFirst() }
      known.isBusy = false
      return nil
    }
    next?.resume()
  }

  /// Takes the moment of the next request to a host: now, or a delay after the last one.
  ///
  /// - Parameter earlier: when the last request of earlier runs began; nil if none is known.
  package func reserve(_ host: String, after earlier: Int64? = nil, at now: Int64) -> Int64 {
    state.withLock { state in
      let moment = (state.hosts[host]?.last ?? earlier).map { max(now, $0 + delay) } ?? now
      state.record(host, moment)
      return moment
    }
  }

  /// Records a moment that was reserved elsewhere.
  func record(_ host: String, at moment: Int64) {
    state.withLock { $0.record(host, moment) }
  }

  /// The moments that were taken since the last call.
  func takeMoments(at now: Int64) -> [Moment] {
    state.withLock { state in
      defer { state.taken = [] }
      state.forget(before: now - delay)
      return state.taken
    }
  }

  /// The moments of the last requests to some hosts.
  func moments(of hosts: [String]) -> [Moment] {
    state.withLock { state in
      hosts.compactMap { host in state.hosts[host]?.last.map { (host, $0) } }
    }
  }
}
