// The rounds of a run that are under way, as far as rounds beside them have to know.

import Core
import Synchronization

/// What the rounds of a run that are under way have still to ask, and when what they fetched is due again.
final class RoundsUnderWay: Sendable {
  private struct Book {
    /// How many feeds of each host have not ended, by the round's number.
    var left: [Int64: [String: Int]] = [:]
    var nextDue: Instant?
  }

  private let book = Mutex(Book())

  /// The hosts that some round asks or will ask: no other one may.
  var hosts: Set<String> { book.withLock { Set($0.left.values.flatMap(\.keys)) } }

  /// Begins a round with these hosts, one for each of its feeds.
  func begin(_ round: Int64, _ hosts: [String]) {
    book.withLock { $0.left[round] = Dictionary(hosts.map { ($0, 1) }, uniquingKeysWith: +) }
  }

  /// Notes that a feed of a round has ended, and when it is due again.
  func end(_ host: String, of round: Int64, nextDue: Instant?) {
    book.withLock { book in
      let count = book.left[round]?[host] ?? 0
      book.left[round]?[host] = count > 1 ? count - 1 : nil
      book.nextDue = [book.nextDue, nextDue].compactMap { $0 }.min()
    }
  }

  /// Ends a round, whatever of it is left.
  func end(_ round: Int64) { book.withLock { $0.left[round] = nil } }

  /// When the first feed is due again of those that ended since the last call.
  func takeNextDue() -> Instant? {
    book.withLock { book in
      defer { book.nextDue = nil }
      return book.nextDue
    }
  }
}
