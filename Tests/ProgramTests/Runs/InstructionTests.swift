// The cost of runs in instructions, which hardly depends on the machine or on what else it does. Costs beside those of other
// programs are measured by `make bench`.

import Foundation
import TestKit
import Testing

/// Instructions of the released program are counted; those of a debug build say nothing.
@Suite(
  .enabled(
    if: getenv("BGFETCH_TEST_PROGRAM") != nil && access("/usr/bin/valgrind", X_OK) == 0,
    "make test measures the released program with valgrind"))
struct InstructionTests {
  @Test("a run with nothing due costs at most a tenth more instructions than recorded")
  func idle() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let program = try BuiltProgram(configuration: feeds(1, server))
    _ = try await program("run", at: moment())
    try await expectInstructions(of: program, recorded: 6_900_000)
    #expect(server.requests.count == 1)
  }

  @Test("a run of 200 unchanged feeds costs at most a tenth more instructions than recorded")
  func unchanged() async throws {
    let count = 200
    let server = try ScriptedServer(planet: ["a", "b", "c"])
    let program = try BuiltProgram(configuration: feeds(count, server))
    _ = try await program("run", at: moment())
    try await expectInstructions(of: program, options: "--force", recorded: 180_000_000)
    #expect(server.requests.count == 3 * count)
  }

  /// A configuration with this many feeds of one document.
  private func feeds(_ count: Int, _ server: ScriptedServer) -> String {
    "feeds:\n"
      + (0..<count).map { "  f\($0): \"\(server.url("/planet"))?\($0)\"\n" }.joined()
  }

  /// Runs the program twice under valgrind(1), and expects the second run to cost at most 110 % of the recorded instructions.
  ///
  /// The first one leaves what later runs in the same environment use (`QuietNote`).
  private func expectInstructions(of program: BuiltProgram, options: String = "", recorded: Int) async throws
  {
    try await program.shell(
      """
      count() {
        BGFETCH_NOW=\(moment()) valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
          --log-file=counted "$BGFETCH" run -q \(options)
      }
      count && count
      """, status: 0)
    // ==123== I   refs:      23,071,867
    let line = program.text(of: "counted").split(separator: "\n").last { $0.contains(/I +refs:/) }
    let counted = try #require(line.flatMap { Int($0.split(separator: " ").last?.filter(\.isNumber) ?? "") })
    #expect(counted <= recorded / 10 * 11, "\(counted) instructions; if this is meant, record \(counted)")
  }
}
