import Glibc
import Host
import Testing

/// Ending real programs that do not want to end.
@Suite struct EndingTests {
  let supervisor = Supervisor()

  @Test func `a whole group that ignores SIGTERM is gone after the grace`() async {
    let result = await supervisor.run(
      sh("trap '' TERM; sleep 300 & echo $!; echo $$; sleep 30", limit: .milliseconds(100)))

    #expect(result.ending == .timedOut)
    #expect(processes(result).count == 2)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a grandchild that ignores SIGTERM is gone though the leader obeyed`() async {
    let result = await supervisor.run(
      sh("sh -c 'trap \"\" TERM; echo $$; sleep 30; sleep 30' & wait", limit: .milliseconds(200)))

    #expect(result.ending == .timedOut)
    #expect(processes(result).count == 1)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a stopped program is ended too`() async {
    let result = await supervisor.run(
      sh("echo $$; kill -STOP $$", limit: .milliseconds(100), grace: .seconds(10)))

    #expect(result.ending == .timedOut)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a program may tidy up within the grace`() async {
    let result = await supervisor.run(
      sh("trap 'echo tidied; exit 0' TERM; sleep 300 & wait", limit: .milliseconds(200), grace: .seconds(10)))

    #expect(result.ending == .timedOut)
    #expect(result.firstLine == "tidied")
  }

  @Test func `a background process that holds the output holds up nothing and lives on`() async throws {
    let result = await supervisor.run(sh("sleep 300 & echo $!", limit: nil))

    let process = try #require(processes(result).first)
    #expect(result.ending == .exited(0))
    #expect(!isGone(process))
    kill(process, SIGKILL)
  }

  @Test func `cancelling the task ends the whole group`() async throws {
    let directory = TestDirectory()
    let marker = directory("started")
    let running = Task {
      await supervisor.run(sh("sleep 300 & echo $!; echo $$; : > \"$1\"; wait", [marker], limit: nil))
    }
    #expect(await eventually { access(marker, F_OK) == 0 })

    running.cancel()
    let result = await running.value

    #expect(result.ending == .cancelled)
    #expect(processes(result).count == 2)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a task that is cancelled already starts nothing`() async {
    let directory = TestDirectory()
    let marker = directory("started")
    let running = Task {
      while !Task.isCancelled { await Task.yield() }
      return await supervisor.run(sh(": > \"$1\"", [marker]))
    }

    running.cancel()

    #expect(await running.value.ending == .cancelled)
    #expect(access(marker, F_OK) == -1)
  }

  @Test func `cancelling at any moment always gives a result`() async {
    await withTaskGroup(of: CommandEnding.self) { group in
      for round in 0..<40 {
        group.addTask {
          let running = Task { await supervisor.run(sh("exec sleep 30", limit: nil)) }
          for _ in 0..<round * 5 { await Task.yield() }
          running.cancel()
          return await running.value.ending
        }
      }
      for await ending in group { #expect(ending == .cancelled) }
    }
  }
}
