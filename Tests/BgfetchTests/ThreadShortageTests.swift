// Too few threads: the machine's trouble.

import Testing

@Suite struct ThreadShortageTests {
  // libdispatch waited for a thread for ever.
  @Test func `a program that gets no threads says so at once`() async throws {
    let bgfetch = try BuiltProgram()

    // No thread has room for its stack where there is hardly room for the libraries.
    var ended: Invoked
    var kibibytes = 16384
    repeat {
      kibibytes += 2048
      ended = try await bgfetch.shell("ulimit -v \(kibibytes); exec timeout 60 \"$BGFETCH\" --version")
    } while ended.status == 127 && kibibytes < 1 << 20

    #expect(ended.status == 74)
    #expect(
      ended.errors
        == "bgfetch: a system resource is exhausted: Resource temporarily unavailable; "
        + "see ulimit -a, and free\n")
  }
}
