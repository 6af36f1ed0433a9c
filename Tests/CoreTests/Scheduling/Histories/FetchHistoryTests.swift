// Random histories of feeds, servers, timers and clocks, compared with the rules of the design.

import Testing

@Suite struct FetchHistoryTests {
  /// Each batch has seeds of its own, so that a failure names the history that reproduces it.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `no request undercuts a rule or a server, and no feed is left alone for longer than the rules say`(
    batch: UInt64
  ) throws {
    var fetches = 0
    for seed in (batch * 50)..<(batch * 50 + 50) {
      var world = try RandomWorld(seed: seed)
      world.live(runs: 40)
      #expect(world.finding == nil, "seed \(seed)")
      fetches += world.fetches
    }
    // Histories without events would prove nothing.
    #expect(fetches > 320)
  }
}
