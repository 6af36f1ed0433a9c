import Core
import Glibc
import Host
import Testing

/// The clock, and the moment that takes its place in tests.
@Suite struct WallClockTests {
  @Test func `the clock shows the system's time`() throws {
    let before = Int64(time(nil))
    let now = try WallClock(environment: [:]).now().secondsSince1970

    #expect((before...Int64(time(nil))).contains(now))
  }

  @Test func `a frozen clock always shows its moment`() throws {
    let clock = try WallClock(environment: ["BGFETCH_NOW": "2026-11-21T08:30:00Z"])

    #expect(clock.now() == Instant(secondsSince1970: 1_795_249_800))
    #expect(clock == WallClock(frozenAt: clock.now()))
  }

  @Test func `a moment set to nothing is not set`() throws {
    #expect(try WallClock(environment: ["BGFETCH_NOW": ""]) == WallClock())
  }

  @Test(arguments: ["now", "2026-11-21", "1795249800"])
  func `a moment in another form is told`(text: String) {
    #expect(throws: MalformedClock(text: text)) {
      try WallClock(environment: ["BGFETCH_NOW": text])
    }
  }

  @Test func `milliseconds never go back`() async throws {
    let before = WallClock.monotonicMilliseconds()
    try await WallClock.sleep(for: .milliseconds(2))

    #expect(WallClock.monotonicMilliseconds() > before)
  }

  @Test func `a cancelled sleep ends at once`() async {
    let sleeping = Task { try await WallClock.sleep(for: .seconds(3600)) }

    sleeping.cancel()

    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }
}
