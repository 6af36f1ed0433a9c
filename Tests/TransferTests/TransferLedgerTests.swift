// Whose turn it is, without a network.

import Testing

@testable import Transfer

@Suite struct TransferLedgerTests {
  private func ledger(connections: Int, perHost: Int, _ hosts: String...) -> TransferLedger {
    var ledger = TransferLedger(connections: connections, connectionsPerHost: perHost)
    for (number, host) in hosts.enumerated() { ledger.add(Ticket(number: number), to: host) }
    return ledger
  }

  /// Begins all that may begin.
  private func begin(_ ledger: inout TransferLedger) -> [Int] {
    var begun: [Int] = []
    while let ticket = ledger.next() { begun.append(ticket.number) }
    return begun
  }

  @Test func `hosts take turns, and each keeps its order`() {
    var ledger = ledger(connections: 9, perHost: 9, "a", "a", "a", "b", "c", "c")

    #expect(begin(&ledger) == [0, 3, 4, 1, 5, 2])
  }

  @Test func `no more begin than there are connections`() {
    var ledger = ledger(connections: 2, perHost: 2, "a", "b", "c")

    #expect(begin(&ledger) == [0, 1])
    #expect(ledger.remove(Ticket(number: 0)) == .running)
    #expect(begin(&ledger) == [2])
  }

  @Test func `no more begin than a host may have`() {
    var ledger = ledger(connections: 9, perHost: 1, "a", "a", "b")

    #expect(begin(&ledger) == [0, 2])
    #expect(ledger.remove(Ticket(number: 2)) == .running)
    #expect(begin(&ledger) == [])
    #expect(ledger.remove(Ticket(number: 0)) == .running)
    #expect(begin(&ledger) == [1])
  }

  @Test func `what was removed while it waited never begins`() {
    var ledger = ledger(connections: 9, perHost: 1, "a", "a", "a", "b")
    #expect(begin(&ledger) == [0, 3])

    #expect(ledger.remove(Ticket(number: 1)) == .waiting)
    #expect(ledger.remove(Ticket(number: 0)) == .running)

    #expect(begin(&ledger) == [2])
  }

  @Test func `a host whose only waiting transfer was removed is used again`() {
    var ledger = ledger(connections: 9, perHost: 1, "a")
    #expect(ledger.remove(Ticket(number: 0)) == .waiting)
    #expect(begin(&ledger) == [])

    ledger.add(Ticket(number: 7), to: "a")

    #expect(begin(&ledger) == [7])
  }

  @Test func `the transfer of a host that wants the fewest beside it decides, until that host is idle`() {
    var ledger = TransferLedger(connections: 8, connectionsPerHost: 4)
    for (number, limit) in [3, 2, 9].enumerated() {
      ledger.add(Ticket(number: number), to: "a", atMost: limit)
    }
    #expect(begin(&ledger) == [0, 1])

    for number in 0...1 { #expect(ledger.remove(Ticket(number: number)) == .running) }
    #expect(begin(&ledger) == [2])
    #expect(ledger.remove(Ticket(number: 2)) == .running)
    for number in 3...8 { ledger.add(Ticket(number: number), to: "a", atMost: 9) }

    #expect(begin(&ledger) == [3, 4, 5, 6])
  }

  @Test func `what is not known is nowhere`() {
    var ledger = ledger(connections: 1, perHost: 1, "a")
    #expect(begin(&ledger) == [0])
    #expect(ledger.remove(Ticket(number: 0)) == .running)

    #expect(ledger.remove(Ticket(number: 0)) == nil)
    #expect(ledger.remove(Ticket(number: 9)) == nil)
  }

  @Test func `thousands of one host and one of another begin within the limits`() {
    var ledger = TransferLedger(connections: 8, connectionsPerHost: 2)
    for number in 0..<10_000 { ledger.add(Ticket(number: number), to: "busy") }
    ledger.add(Ticket(number: 10_000), to: "quiet")
    var order = begin(&ledger)
    #expect(order == [0, 10_000, 1])

    var removed = 0
    while removed < order.count {
      #expect(ledger.remove(Ticket(number: order[removed])) == .running)
      removed += 1
      order += begin(&ledger)
    }

    #expect(order.count == 10_001)
    #expect(order.filter { $0 < 10_000 } == Array(0..<10_000))
  }
}
