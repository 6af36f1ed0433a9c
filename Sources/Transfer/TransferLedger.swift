// Whose turn it is: pure bookkeeping that knows nothing of libcurl.

/// Which transfers wait and which run.
///
/// Hosts take turns, and the transfers of one host go in the order they came, so that a slow host with many
/// requests does not hold up the others. libcurl gets a transfer only when it may begin at once: its limits of
/// time would run while it waited there, and it looks at every waiting one whenever a connection gets free.
struct TransferLedger {
  /// Where a transfer was.
  enum Place: Hashable {
    case waiting, running
  }

  private struct Host {
    var waiting: [Ticket] = []
    var first = 0
    var running = 0
    /// The most that may run, until nothing of it waits or runs.
    var limit: Int
    var isInTurn = false

    var hasWaiting: Bool { first < waiting.count }

    mutating func next() -> Ticket {
      defer {
        first += 1
        if first == waiting.count { (waiting, first) = ([], 0) }
      }
      return waiting[first]
    }
  }

  private let connections: Int
  private let connectionsPerHost: Int
  private var hosts: [String: Host] = [:]
  private var turn: [String] = []
  private var firstInTurn = 0
  private var hostOfWaiting: [Ticket: String] = [:]
  private var hostOfRunning: [Ticket: String] = [:]

  /// Nothing waits or runs.
  init(connections: Int, connectionsPerHost: Int) {
    self.connections = connections
    self.connectionsPerHost = connectionsPerHost
  }

  /// Notes a transfer that waits for its turn.
  ///
  /// Of several transfers to a host the one that asks for the fewest others beside it decides for all.
  mutating func add(_ ticket: Ticket, to host: String, atMost limit: Int = .max) {
    hostOfWaiting[ticket] = host
    let least = min(hosts[host]?.limit ?? connectionsPerHost, max(1, limit))
    hosts[host, default: Host(limit: least)].limit = least
    hosts[host]?.waiting.append(ticket)
    putInTurn(host)
  }

  /// The transfer to begin now, which then runs; nil if none may.
  mutating func next() -> Ticket? {
    while hostOfRunning.count < connections, firstInTurn < turn.count {
      let host = turn[firstInTurn]
      firstInTurn += 1
      if firstInTurn == turn.count { (turn, firstInTurn) = ([], 0) }
      hosts[host]?.isInTurn = false
      guard let ticket = firstWaiting(of: host) else { continue }
      hostOfRunning[ticket] = host
      hosts[host]?.running += 1
      putInTurn(host)
      return ticket
    }
    return nil
  }

  /// Forgets a transfer that ended or is not wanted any more; says where it was, nil if it was not known.
  mutating func remove(_ ticket: Ticket) -> Place? {
    // What no longer waits is left in its host's queue until its turn comes.
    if hostOfWaiting.removeValue(forKey: ticket) != nil { return .waiting }
    guard let host = hostOfRunning.removeValue(forKey: ticket) else { return nil }
    hosts[host]?.running -= 1
    putInTurn(host)
    if let state = hosts[host], state.running == 0, !state.hasWaiting { hosts[host] = nil }
    return .running
  }

  private mutating func firstWaiting(of host: String) -> Ticket? {
    while hosts[host]?.hasWaiting == true {
      if let ticket = hosts[host]?.next(), hostOfWaiting.removeValue(forKey: ticket) != nil { return ticket }
    }
    if hosts[host]?.running == 0 { hosts[host] = nil }
    return nil
  }

  private mutating func putInTurn(_ host: String) {
    guard let state = hosts[host], !state.isInTurn, state.hasWaiting, state.running < state.limit
    else {
      return
    }
    hosts[host]?.isInTurn = true
    turn.append(host)
  }
}
