// Which transfer starts next: pure bookkeeping without libcurl.

/// The waiting and the running transfers.
///
/// The host with the fewest running transfers comes next, so that a slow host with many requests does not delay the others.
/// libcurl gets a transfer only when it can start at once: its time limits would run while the transfer waits, and it
/// checks all waiting transfers whenever a connection becomes free.
struct RequestLedger {
  private struct Waiting {
    let ticket: Ticket
    let host: String
    /// The number of running transfers of the host below which it may start.
    let limit: Int
  }

  private let connections: Int
  /// In the order in which they came.
  private var waiting: [Waiting] = []
  /// The hosts of the running transfers.
  private var running: [Ticket: String] = [:]

  init(connections: Int) { self.connections = connections }

  /// Adds a waiting transfer.
  mutating func add(_ ticket: Ticket, to host: String, atMost limit: Int) {
    waiting.append(Waiting(ticket: ticket, host: host, limit: limit))
  }

  /// The transfer to start now; nil if none may.
  mutating func next() -> Ticket? {
    guard running.count < connections else { return nil }
    var first: (place: Int, beside: Int)?
    for (place, transfer) in waiting.enumerated() {
      let beside = running.values.count { $0 == transfer.host }
      if beside < min(transfer.limit, first?.beside ?? .max) { first = (place, beside) }
    }
    guard let first else { return nil }
    let transfer = waiting.remove(at: first.place)
    running[transfer.ticket] = transfer.host
    return transfer.ticket
  }

  /// Removes a waiting or running transfer, if it is known.
  mutating func remove(_ ticket: Ticket) {
    waiting.removeAll { $0.ticket == ticket }
    running[ticket] = nil
  }
}
