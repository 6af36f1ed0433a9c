// Progress and rates of transfers; times are milliseconds.

import Core
import Synchronization
import Testing

@testable import Running

@Suite struct ProgressBoardTests {
  private func transfer(_ number: Int64) throws -> Transfer {
    Transfer(
      number: number, feed: try #require(FeedName("planet")), session: 1,
      asset: Asset(url: "https://cdn.example/\(number).mp3"), item: nil, description: "\(number)",
      queued: Instant(secondsSince1970: 0))
  }

  @Test func `transfers are reported in the order of their numbers until they are removed`() throws {
    let board = ProgressBoard()
    for number: Int64 in [3, 1, 2] { board.add(try transfer(number)) { (number * 10, 100) } }

    let all = board.snapshot(at: 0)
    board.remove(2)

    #expect(all.map(\.transfer.number) == [1, 2, 3])
    #expect(all.map(\.received) == [10, 20, 30])
    #expect(all.allSatisfy { $0.total == 100 && $0.bytesPerSecond == 0 })
    #expect(board.snapshot(at: 500).map(\.transfer.number) == [1, 3])
  }

  @Test(
    arguments: [([0, 500], [0, 1000]), ([0, 500, 500], [0, 1000, 700]), ([900, 100], [0, 0])]
      as [([Int64], [Int64])])
  func `a rate weighs recent bytes more than earlier ones`(bytes: [Int64], rates: [Int64]) throws {
    let board = ProgressBoard()
    let received = Mutex<Int64>(0)
    board.add(try transfer(1)) { (received.withLock { $0 }, nil) }

    let told = bytes.enumerated().flatMap { place, bytes in
      received.withLock { $0 = bytes }
      return board.snapshot(at: Int64(place) * 500)
    }

    #expect(told.map(\.bytesPerSecond) == rates)
  }

  @Test func `two reports at the same time have no rate`() throws {
    let board = ProgressBoard()
    board.add(try transfer(1)) { (0, nil) }

    _ = board.snapshot(at: 7)

    #expect(board.snapshot(at: 7).map(\.bytesPerSecond) == [0])
  }
}
