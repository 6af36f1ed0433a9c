// What is known of hosts while a run goes on: every fetch sees at once what the others came to know.

import Core
import Synchronization

/// What is known of hosts while a run goes on.
///
/// Several fetches of one host may be under way; a limit that one of them is given counts for what the others decide.
final class HostLedger: Sendable {
  private struct Book {
    var states: [String: HostState]
    /// When the last request to a host begins or began, in the machine's milliseconds.
    var requests: [String: Int64] = [:]
    /// Requests that redirects led to other hosts, since they were last asked for.
    var hops: [Hop] = []
  }

  /// A request that a redirect led to another host.
  struct Hop: Sendable {
    /// The host.
    let host: String
    /// When the request begins, in the machine's milliseconds.
    let moment: Int64
  }

  private let book: Mutex<Book>

  init(_ states: [String: HostState]) {
    book = Mutex(Book(states: states))
  }

  /// What is known of a host at this moment.
  func state(of host: String) -> HostState { book.withLock { $0.states[host] ?? HostState() } }

  /// When the last requests to public hosts of this run began, in the machine's milliseconds.
  var requests: [String: Int64] { book.withLock { $0.requests } }

  /// Notes that a feed's request to a public host begins, and gives what is now known of the host.
  func begin(_ host: String, at moment: Int64, now: Instant) -> HostState {
    book.withLock { book in
      book.requests[host] = moment
      book.states[host, default: HostState()].lastRequest = now
      return book.states[host] ?? HostState()
    }
  }

  /// Books a request to which a redirect leads, and gives the moment at which it may begin: some time after the last one
  /// to its host, where that is public.
  func bookHop(to address: WebAddress, delay: Interval, at now: Int64) -> Int64 {
    guard address.isPublicHost else { return now }
    let delay = min(delay.seconds, 86_400) * 1000
    return book.withLock { book in
      let moment = book.requests[address.host].map { max(now, $0 + delay) } ?? now
      book.requests[address.host] = moment
      book.hops.append(Hop(host: address.host, moment: moment))
      return moment
    }
  }

  /// The requests that redirects led to other hosts since the last call.
  func takeHops() -> [Hop] {
    book.withLock { book in
      defer { book.hops = [] }
      return book.hops
    }
  }

  /// Decides what a fetch changes by what is known of its host at this moment, and remembers it.
  func change(_ host: String?, _ decide: (HostState) -> StateChange) -> StateChange {
    book.withLock { book in
      guard let host else { return decide(HostState()) }
      let change = decide(book.states[host] ?? HostState())
      if change.isHostChanged { book.states[host] = change.host }
      return change
    }
  }
}
