// How long a download waits for its server, second by second.

import Core
import Testing

@testable import Transfer

@Suite struct PatienceTests {
  /// The second in which a server that sends so many bytes in each of these seconds is given up; nil if it never is.
  private func end(
    _ bytes: [Int], of patience: Patience, look: Double = 0.5
  ) -> (second: Int, failure: FetchFailure)? {
    var patience = patience
    for (second, count) in bytes.enumerated() {
      patience.take(count)
      for _ in 0..<Int(1 / look) {
        if let failure = patience.pass(look) { return (second + 1, failure) }
      }
    }
    return nil
  }

  /// Defaults: 1 KiB/s for 30 s.
  private func patience(answered isWanted: Bool? = true, _ change: (inout NetworkSettings) -> Void = { _ in })
    -> Patience
  {
    var network = NetworkSettings()
    change(&network)
    var patience = Patience(network)
    patience.connected()
    if let isWanted { patience.receivedHead(isWanted: isWanted) }
    return patience
  }

  static let rates: [(what: String, bytes: [Int], second: Int?)] = [
    ("nothing", [Int](repeating: 0, count: 100), 30),
    ("half of it", [Int](repeating: 512, count: 100), 30),
    ("just below", [Int](repeating: 1000, count: 100), 30),
    ("just enough", [Int](repeating: 1024, count: 1000), nil),
    ("much, then nothing", [Int](repeating: 1_000_000, count: 60) + [Int](repeating: 0, count: 100), 90),
    ("enough, in bursts", (0..<1000).map { $0 % 10 == 0 ? 11_000 : 0 }, nil),
    ("too little, in bursts", (0..<1000).map { $0 % 10 == 0 ? 9000 : 0 }, 30),
  ]

  @Test(arguments: rates.indices)
  func `a body slower than the limit on average over its time is stalled`(_ row: Int) {
    let (what, bytes, second) = Self.rates[row]

    let end = end(bytes, of: patience())

    #expect(end?.second == second, "\(what)")
    if second != nil { #expect(end?.failure == .stalled(StallLimit())) }
  }

  @Test func `connecting has no end here`() {
    #expect(end([Int](repeating: 0, count: 1000), of: Patience(NetworkSettings())) == nil)
  }

  @Test(arguments: [0, 1024] as [Int64])
  func `an answer has the time of a feed to come, whatever a body has`(below: Int64) {
    let patience = patience(answered: nil) { $0.stall.below = ByteCount(below) }

    let end = end([Int](repeating: 0, count: 100), of: patience)

    #expect(end?.second == 60)
    #expect(end?.failure == .timeout(.seconds(60)))
  }

  @Test func `a limit of 0 bytes a second is none`() {
    let patience = patience { $0.stall.below = ByteCount(0) }

    #expect(end([Int](repeating: 0, count: 1000), of: patience) == nil)
  }

  @Test func `without a stall limit an error's body has the time of a feed`() {
    let patience = patience(answered: false) { $0.stall.below = ByteCount(0) }

    let end = end([Int](repeating: 0, count: 100), of: patience)

    #expect(end?.second == 60)
    #expect(end?.failure == .timeout(.seconds(60)))
  }

  @Test func `an error's body has the time of a feed, however fast it is`() {
    let end = end([Int](repeating: 1 << 20, count: 100), of: patience(answered: false))

    #expect(end?.second == 60)
  }

  @Test func `a thread that came late does not blame the server`() {
    var patience = patience()

    #expect(patience.pass(3600) == nil)
  }

  @Test func `the lowest limit is found out within a look or two`() {
    let patience = patience { $0.stall.for = .seconds(1) }

    #expect(end([0, 0, 0], of: patience)?.second == 1)
  }
}
