// How downloads share a rate, second by second.

import Core
import Testing

@testable import Transfer

@Suite struct SharedRateTests {
  /// Downloads whose servers send without end, in pieces of a size; gives what each took in so many seconds.
  ///
  /// The thread looks every two milliseconds, as one that also has other things to do.
  private func simulate(
    rate: Int64, pieces: [Int], seconds: Double, stopping: [Int: Double] = [:]
  ) -> [Int] {
    let shared = SharedRate(ByteCount(rate))
    var now = MonotonicTime(nanoseconds: 0)
    let end = now + seconds
    var taken = [Int](repeating: 0, count: pieces.count)
    var isHeld = [Bool](repeating: false, count: pieces.count)
    for index in pieces.indices { shared.add(Ticket(number: index), at: now) }
    while now < end {
      while let ticket = shared.next(at: now) { isHeld[ticket.number] = false }
      for index in pieces.indices where !isHeld[index] {
        if let stop = stopping[index], MonotonicTime(nanoseconds: 0) + stop < now { continue }
        // What libcurl would pass on before it looks at the next transfer.
        for _ in 0..<4 where !isHeld[index] {
          if shared.take(pieces[index], by: Ticket(number: index), at: now) {
            taken[index] += pieces[index]
          } else {
            isHeld[index] = true
          }
        }
      }
      now = now + 0.002
    }
    return taken
  }

  @Test(arguments: [500, 10_000, 2 << 20, 200 << 20] as [Int64], [1, 2, 7, 32])
  func `all together take what the rate gives`(_ rate: Int64, _ count: Int) {
    let size = SharedRate(ByteCount(rate)).pieceSize
    let piece = min(size, 16_384)
    let seconds = 20.0

    let total = simulate(
      rate: rate, pieces: [Int](repeating: piece, count: count), seconds: seconds
    ).reduce(0, +)

    // Beyond that only the last piece is owed, and only the last step was not given out.
    let expected = Double(rate) * seconds
    #expect(Double(total) <= expected + Double(piece))
    // What 32 times four pieces in two milliseconds are, at most.
    let most = Double(4 * piece * count) * seconds / 0.002
    #expect(Double(total) >= min(expected, most) * 0.95 - Double(piece))
  }

  @Test func `each of several takes the same`() {
    let taken = simulate(rate: 1_000_000, pieces: [16_384, 16_384, 4096, 1024], seconds: 20)

    for one in taken { #expect((4_500_000...5_500_000).contains(one), "\(taken)") }
  }

  @Test func `what one does not take is there for the others`() {
    let taken = simulate(rate: 1_000_000, pieces: [8192, 8192], seconds: 20, stopping: [0: 4])

    #expect((1_800_000...2_300_000).contains(taken[0]), "\(taken)")
    #expect((17_000_000...18_300_000).contains(taken[1]), "\(taken)")
  }

  @Test func `nothing is saved up while nothing is downloaded`() {
    let shared = SharedRate(ByteCount(1000))
    let start = MonotonicTime(nanoseconds: 0)
    shared.add(Ticket(number: 1), at: start)
    shared.remove(Ticket(number: 1))

    shared.add(Ticket(number: 2), at: start + 100)

    #expect(!shared.take(1, by: Ticket(number: 2), at: start + 100))
  }

  @Test func `what was taken too much is owed by the next one too`() {
    let shared = SharedRate(ByteCount(1000))
    let start = MonotonicTime(nanoseconds: 0)
    shared.add(Ticket(number: 1), at: start)
    #expect(shared.take(5000, by: Ticket(number: 1), at: start + 0.1))
    shared.remove(Ticket(number: 1))

    shared.add(Ticket(number: 2), at: start + 1)
    #expect(!shared.take(1, by: Ticket(number: 2), at: start + 1))

    #expect(shared.secondsToNext(at: start + 1).map { ($0 * 100).rounded() } == 402)
    #expect(shared.next(at: start + 5.01) == nil)
    #expect(shared.next(at: start + 5.03) == Ticket(number: 2))
  }

  @Test func `the time for which one was held up is told once`() {
    let shared = SharedRate(ByteCount(1000))
    let start = MonotonicTime(nanoseconds: 0)
    let ticket = Ticket(number: 1)
    shared.add(ticket, at: start)
    #expect(!shared.take(10, by: ticket, at: start))

    #expect(shared.secondsHeld(ticket, at: start + 0.01) == 0.01)
    #expect(shared.next(at: start + 0.03) == ticket)
    #expect((shared.secondsHeld(ticket, at: start + 1) * 1000).rounded() == 20)
    #expect(shared.secondsHeld(ticket, at: start + 2) == 0)
  }

  @Test func `one that ended while it waited is not let on`() {
    let shared = SharedRate(ByteCount(1000))
    let start = MonotonicTime(nanoseconds: 0)
    shared.add(Ticket(number: 1), at: start)
    #expect(!shared.take(10, by: Ticket(number: 1), at: start))

    shared.remove(Ticket(number: 1))

    #expect(shared.next(at: start + 10) == nil)
    #expect(shared.secondsToNext(at: start + 10) == nil)
  }
}
