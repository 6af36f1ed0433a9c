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

    // The shell counts for as long as the push may go on, ever a little longer.
    let killed = try await bgfetch.shell(
      """
      for n in $(seq 60); do
        "$BGFETCH" push --json --feed feed1 --set content-id=$n > "$HOME/answer.$n" 2> /dev/null &
        i=0; while [ $i -lt $((n * 4000)) ]; do i=$((i + 1)); done
        kill -9 $! 2> /dev/null
        wait $! 2> /dev/null
        if test $? = 0 || test -s "$HOME/answer.$n"; then echo $n; fi
      done
      "$BGFETCH" push --feed feed1 --set content-id=61 && echo 61
      """)

    #expect(killed.lines.last == "61")
    for id in killed.lines.compactMap(Int.init) { #expect(try await isStored(id, bgfetch), "\(id)") }
    #expect(try await bgfetch("push", "--feed", "feed1").status == 0)
  }
}
