// Stop signals as values, and writes to a closed pipe.

import Core
import Glibc
import Testing

@testable import Machine

/// Signals; each test in a process of its own, since they belong to the whole process.
@Suite struct SignalsTests {
  @Test func `stop signals arrive in order and as often as they are sent`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      var arriving = try Signals.stops().makeAsyncIterator()
      var seen: [StopSignal?] = []
      for number in [SIGTERM, SIGINT, SIGHUP, SIGTERM] {
        kill(getpid(), number)
        seen.append(await arriving.next())
      }
      exit(seen == [.terminate, .interrupt, .hangUp, .terminate] ? 42 : 1)
    }
  }

  @Test func `a stop signal that was ignored at the start stays so`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      signal(SIGINT, SIG_IGN)
      // As nohup(1) does.
      signal(SIGHUP, SIG_IGN)
      var arriving = try Signals.stops().makeAsyncIterator()
      kill(getpid(), SIGINT)
      kill(getpid(), SIGHUP)
      kill(getpid(), SIGTERM)
      exit(await arriving.next() == .terminate ? 42 : 1)
    }
  }

  @Test func `a closed pipe is an error of the write`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      Signals.ignoreBrokenPipes()
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      close(ends[0])
      do throws(SystemError) {
        try writeAll(ends[1], [1])
      } catch {
        exit(error.isBrokenPipe ? 42 : 1)
      }
    }
  }

  @Test func `a child that does not read its input does no harm, even without ignoring SIGPIPE`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      signal(SIGPIPE, SIG_DFL)
      let input = [UInt8](repeating: 0, count: 1 << 20)
      let result = await sh("exec <&-; sleep 0.05", input: input).run()
      exit(result.ending == .exited(0) ? 42 : 1)
    }
  }

  @Test func `exit statuses are matched to children although SIGCHLD was ignored at the start`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      signal(SIGCHLD, SIG_IGN)
      exit(await sh("exit 5").run().ending == .exited(5) ? 42 : 1)
    }
  }

  @Test func `no child is left, running or as a zombie`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      await withTaskGroup { group in
        for _ in 0..<20 { group.addTask { _ = await sh("exit 0").run() } }
        group.addTask { _ = await sh("trap '' TERM; sleep 3000", limit: .milliseconds(50)).run() }
      }
      exit(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD ? 42 : 1)
    }
  }

  @Test func `a program started with closed streams still gives its children theirs`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      close(0)
      close(1)
      close(2)
      try StandardStream.openMissing()
      let areThere = (0...2).allSatisfy { fcntl($0, F_GETFD) != -1 }
      guard areThere else { exit(1) }
      let result = await sh("cat; echo err >&2", input: Array("in".utf8)).run()
      exit(text(result.output) == "in" && text(result.errorTail) == "err\n" ? 42 : 1)
    }
  }
}
