// Many pushes at once, and pushes that are killed: what was answered is there.

import Foundation
import TestKit
import Testing

@Suite struct PushBurstTests {
  private func program() throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    let names = (1...20).map { "  feed\($0): \"http://127.0.0.1:1/\($0)\"\n" }.joined()
    try bgfetch.configure("feeds:\n" + names)
    return bgfetch
  }

  /// The content-ids of the pushes that are stored: another one with the same takes the place of each.
  private func isStored(_ id: Int, _ bgfetch: BuiltProgram) async throws -> Bool {
    let push = try await bgfetch("push", "--json", "--feed", "feed1", "--set", "content-id=\(id)")
    return push.json.first?["replaced"] as? Bool == true
  }

  @Test func `a burst of pushes from fifty processes at once is taken whole`() async throws {
    let bgfetch = try program()

    let burst = try await bgfetch.shell(
      """
      seq 300 | xargs -P 50 -I N sh -c \
        '"$BGFETCH" push --json --feed feed$((N % 20 + 1)) --set content-id=N || echo failed'
      """)
    let again = try await bgfetch.shell(
      """
      seq 7 29 300 | xargs -I N sh -c '"$BGFETCH" push --json --feed feed$((N % 20 + 1)) --set content-id=N'
      """)

    #expect(burst.errors == "")
    #expect(burst.json.count == 300)
    #expect(burst.json.allSatisfy { $0["taken"] as? Bool == true && $0["replaced"] as? Bool == false })
    #expect(again.json.count == 11)
    #expect(again.json.allSatisfy { $0["replaced"] as? Bool == true })
  }

  @Test func `a push that was answered outlives kill -9 at any instant`() async throws {
    let bgfetch = try program()
    var answered: [Int] = []

    for id in 1...40 {
      let push = try bgfetch.started([
        "push", "--json", "--feed", "feed1", "--set", "content-id=\(id)",
      ])
      // Each time a little later; how far it gets by then does not matter.
      try await Task.sleep(for: .milliseconds(id))
      push.signal(SIGKILL)
      let ended = await push.ended()
      if ended.status == 0 || !ended.output.isEmpty { answered.append(id) }
    }
    let last = try await bgfetch("push", "--feed", "feed1", "--set", "content-id=41")

    #expect(last.status == 0)
    for id in answered + [41] { #expect(try await isStored(id, bgfetch), "\(id)") }
  }
}
