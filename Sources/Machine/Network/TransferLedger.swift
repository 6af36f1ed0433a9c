// Which transfer starts next: pure bookkeeping without libcurl.

/// The waiting and the running transfers.
///
/// Hosts take turns, and the transfers of one host keep their order, so that a slow host with many requests does not delay
/// the others. libcurl gets a transfer only when it can start at once: its time limits would run while the transfer
/// waits, and it checks all waiting transfers whenever a connection becomes free.
struct TransferLedger {
  private struct Host {
    var waiting: ArraySlice<Ticket> = []
    var running = 0
    /// The most that may run at once; kept until nothing waits or runs.
    var limit: Int
    var isInTurn = false
  }

  private let connections: Int
  private var hosts: [String: Host] = [:]
  private var turn: ArraySlice<String> = []
  private var hostOfWaiting: [Ticket: String] = [:]
  private var hostOfRunning: [Ticket: String] = [:]

  init(connections: Int) { self.connections = connections }

  /// Adds a waiting transfer; the lowest limit of all transfers to a host counts.
  mutating func add(_ ticket: Ticket, to host: String, atMost limit: Int) {
    hostOfWaiting[ticket] = host
    var state = hosts[host] ?? Host(limit: limit)
    state.limit = min(state.limit, limit)
    state.waiting.append(ticket)
    hosts[host] = state
    putInTurn(host)
  }

  /// The transfer to start now; nil if none may.
  mutating func next() -> Ticket? {
    while hostOfRunning.count < connections, let host = turn.popFirst() {
      hosts[host]?.isInTurn = false
      guard let ticket = firstWaiting(of: host) else { continue }
      hostOfRunning[ticket] = host
      hosts[host]?.running += 1
      putInTurn(host)
      return ticket
    }
    return nil
  }

  /// Removes a waiting or running transfer, if it is known.
  mutating func remove(_ ticket: Ticket) {
    // A waiting transfer stays in its host's queue and is skipped when its turn comes.
    if hostOfWaiting.removeValue(forKey: ticket) != nil { return }
    guard let host = hostOfRunning.removeValue(forKey: ticket) else { return }
    hosts[host]?.running -= 1
    putInTurn(host)
    if let state = hosts[host], state.running == 0, state.waiting.isEmpty { hosts[host] = nil }
  }

  private mutating func firstWaiting(of host: String) -> Ticket? {
    while let ticket = hosts[host]?.waiting.popFirst() {
      if hostOfWaiting.removeValue(forKey: ticket) != nil { return ticket }
    }
    if hosts[host]?.running == 0 { hosts[host] = nil }
    return nil
  }

  private mutating func putInTurn(_ host: String) {
    guard let state = hosts[host], !state.isInTurn, !state.waiting.isEmpty, state.running < state.limit
    else { return }
    hosts[host]?.isInTurn = true
    turn.append(host)
  }
}
