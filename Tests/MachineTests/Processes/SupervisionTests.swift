// When a command gets SIGTERM and SIGKILL, and when it counts as ended.

import Core
import TestKit
import Testing

@testable import Machine

/// The rules of ending a command, in made-up time.
@Suite struct SupervisionTests {
  private func facts(
    leader: CommandEnding? = nil, output: Bool = true, cancelled: Bool = false
  ) -> Supervision.Facts {
    Supervision.Facts(leader: leader, isOutputOpen: output, isCancelled: cancelled)
  }

  private var supervision = Supervision(startedAt: 1000, limit: .seconds(30), grace: .seconds(5))

  @Test mutating func `before the time limit there is nothing to do`() {
    #expect(supervision.step(at: 30_999, facts()) == nil)
    #expect(supervision.nextCheck == 31_000)
  }

  @Test mutating func `the group gets SIGTERM at the time limit and SIGKILL after the grace period`() {
    #expect(supervision.step(at: 31_000, facts()) == .terminateGroup)
    #expect(supervision.step(at: 35_999, facts()) == nil)
    #expect(supervision.step(at: 36_000, facts()) == .killGroup)
  }

  @Test
  mutating func `after the time limit the group is killed as soon as the leader has ended without output`() {
    _ = supervision.step(at: 31_000, facts())

    let obeyed = facts(leader: .exited(0), output: false)
    #expect(supervision.step(at: 31_010, facts(leader: .exited(0))) == nil)
    #expect(supervision.step(at: 31_030, obeyed) == .killGroup)
    #expect(supervision.step(at: 31_030, obeyed) == .finish(.timedOut))
  }

  @Test mutating func `an end seen together with the time limit counts as the program's own`() {
    let step = supervision.step(at: 31_000, facts(leader: .exited(0), output: false))

    #expect(step == .finish(.exited(0)))
  }

  @Test mutating func `output that stays open is waited for only a moment`() {
    #expect(supervision.step(at: 2000, facts(leader: .exited(3))) == nil)
    #expect(supervision.nextCheck == 2000 + Supervision.drain)
    let later = 2000 + Supervision.drain
    #expect(supervision.step(at: later, facts(leader: .exited(3))) == .finish(.exited(3)))
  }

  @Test mutating func `a cancelled command is ended at once, whatever its time limit`() {
    #expect(supervision.step(at: 1001, facts(cancelled: true)) == .terminateGroup)
    let ended = facts(leader: .signalled(15), output: false, cancelled: true)
    #expect(supervision.step(at: 1002, ended) == .killGroup)
    #expect(supervision.step(at: 1002, ended) == .finish(.cancelled))
  }

  @Test mutating func `after a cancellation every wait is short`() {
    let ignoring = facts(cancelled: true)
    #expect(supervision.step(at: 2000, ignoring) == .terminateGroup)
    #expect(supervision.step(at: 2399, ignoring) == nil)
    #expect(supervision.nextCheck == 2400)
    #expect(supervision.step(at: 2400, ignoring) == .killGroup)
    #expect(supervision.step(at: 2799, ignoring) == nil)
    #expect(supervision.step(at: 2800, ignoring) == .finish(.cancelled))
  }

  @Test mutating func `a cancellation shortens a grace period that has already begun`() {
    #expect(supervision.step(at: 31_000, facts()) == .terminateGroup)
    #expect(supervision.step(at: 32_000, facts(cancelled: true)) == nil)
    #expect(supervision.nextCheck == 32_400)
    #expect(supervision.step(at: 32_400, facts(cancelled: true)) == .killGroup)
    #expect(
      supervision.step(at: 32_900, facts(output: false, cancelled: true)) == .finish(.timedOut))
  }

  @Test mutating func `a process that the kernel does not release is given up in the end`() {
    _ = supervision.step(at: 31_000, facts())
    _ = supervision.step(at: 36_000, facts())

    #expect(supervision.step(at: 40_999, facts(output: false)) == nil)
    #expect(supervision.step(at: 41_000, facts(output: false)) == .finish(.timedOut))
  }

  @Test mutating func `a finished supervision stays finished`() {
    _ = supervision.step(at: 2000, facts(leader: .exited(0), output: false))

    #expect(supervision.step(at: 99_000, facts(leader: .exited(0), output: false)) == nil)
    #expect(supervision.nextCheck == nil)
  }

  @Test func `a command without a time limit is never late`() {
    var endless = Supervision(startedAt: 0, limit: nil, grace: .zero)

    #expect(endless.step(at: .max / 2, facts()) == nil)
  }

  @Test func `the longest time limit does not overflow`() {
    var long = Supervision(startedAt: 1000, limit: .seconds(Int64.max), grace: .seconds(Int64.max))

    #expect(long.step(at: 2000, facts()) == nil)
  }
}

/// The bounded parts of a program's output.
@Suite struct CaptureTests {
  @Test(
    arguments: [
      (.beginning, [[1, 2], [3, 4], [5]], [1, 2, 3], true), (.end, [[1, 2], [3, 4]], [2, 3, 4], true),
      (.end, [[1, 2], [3, 4], [5, 6, 7, 8]], [6, 7, 8], true), (.beginning, [[1, 2, 3]], [1, 2, 3], false),
      (.end, [[1, 2, 3]], [1, 2, 3], false),
    ] as [(Capture.Part, [[UInt8]], [UInt8], Bool)])
  func `the beginning or the end is kept, in small or large pieces, and all of what fits exactly`(
    part: Capture.Part, pieces: [[UInt8]], kept: [UInt8], isCut: Bool
  ) {
    var capture = Capture(part, limit: 3)

    for piece in pieces { capture.append(piece) }

    #expect(capture.bytes == kept)
    #expect(capture.isCut == isCut)
  }
}

@Suite struct ChildTests {
  @Test func `a program has its input even if this process dies as soon as it has started it`() async throws {
    let directory = TestDirectory()
    let command = sh("cat > '\(directory.path)/input'", input: Array("all of it".utf8))

    // The pipe is closed with the child's value, as by the death of this process.
    let leader = try Child(command, at: 0).group.leader
    #expect(await eventually { status(of: leader, reap: true) == .exited(0) })

    let input = try readFile(directory.path + "/input", limit: ByteCount(100))
    #expect(String(decoding: input, as: UTF8.self) == "all of it")
  }
}
