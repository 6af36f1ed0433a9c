import Glibc
import Host
import Testing

/// Ending real programs that do not want to end.
@Suite struct EndingTests {
  let supervisor = Supervisor()

  /// Runs a script and cancels it once the script has said that it is ready, by making the file `$1`.
  private func cancelledWhenReady(
    _ script: String, grace: Duration = .milliseconds(100), outputLimit: Int = 4096
  ) async -> CommandResult {
    let directory = TestDirectory()
    let marker = directory("ready")
    let command = sh(script, [marker], limit: nil, grace: grace, outputLimit: outputLimit)
    let running = Task { await supervisor.run(command) }
    #expect(await eventually { access(marker, F_OK) == 0 })
    running.cancel()
    return await running.value
  }

  @Test func `cancelling the task ends the whole group`() async {
    let result = await cancelledWhenReady("sleep 3000 & echo $!; echo $$; : > \"$1\"; wait")

    #expect(result.ending == .cancelled)
    #expect(processes(result).count == 2)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a whole group that ignores SIGTERM is gone after the grace`() async {
    let result = await cancelledWhenReady(
      "trap '' TERM; sleep 3000 & echo $!; echo $$; : > \"$1\"; sleep 3000")

    #expect(processes(result).count == 2)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a grandchild that ignores SIGTERM is gone though the leader obeyed`() async {
    let result = await cancelledWhenReady(
      "sh -c 'trap \"\" TERM; echo $$; : > \"$1\"; sleep 3000; sleep 3000' sh \"$1\" & wait")

    #expect(processes(result).count == 1)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a stopped program is ended too`() async {
    let watch = "until grep -q '^State:.T' /proc/$1/status; do :; done; : > \"$2\""
    let result = await cancelledWhenReady(
      "echo $$; sh -c '\(watch.replacing("'", with: "'\\''"))' sh $$ \"$1\" & kill -STOP $$",
      grace: .seconds(600))

    #expect(processes(result).count == 1)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a program may tidy up within the grace`() async {
    let result = await supervisor.run(
      sh("trap 'echo tidied; exit 0' TERM; sleep 3000 & wait", limit: .seconds(2), grace: .seconds(600)))

    #expect(result.firstLine == "tidied")
  }

  @Test func `after a cancellation a program that ignores SIGTERM is gone within a second`() async {
    let result = await cancelledWhenReady(
      "trap '' TERM; sleep 3000 & echo $!; echo $$; : > \"$1\"; sleep 3000", grace: .seconds(600))

    #expect(processes(result).count == 2)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a process that has left the group with the output open holds up no cancellation`() async throws
  {
    let result = await cancelledWhenReady(
      "setsid sh -c 'trap \"\" TERM; echo $$; : > \"$1\"; sleep 3000' sh \"$1\" & wait", grace: .seconds(600))

    let process = try #require(processes(result).first)
    #expect(result.ending == .cancelled)
    #expect(!isGone(process))
    kill(-process, SIGKILL)
  }

  @Test func `of a program that prints for ever the beginning is kept`() async {
    let result = await cancelledWhenReady(
      "echo first; echo second; : > \"$1\"; exec yes", outputLimit: 8)

    #expect(text(result.output) == "first\nse")
    #expect(result.isOutputCut)
  }

  @Test func `a whole group is gone after its time limit`() async {
    let result = await supervisor.run(
      sh("trap '' TERM; sleep 3000 & echo $!; echo $$; sleep 3000", limit: .milliseconds(200)))

    // How far the script has come by then is the machine's affair.
    #expect(result.ending == .timedOut)
    #expect(processes(result).allSatisfy(isGone))
  }

  @Test func `a background process that holds the output holds up nothing and lives on`() async throws {
    let result = await supervisor.run(sh("sleep 3000 & echo $!", limit: nil))

    let process = try #require(processes(result).first)
    #expect(result.ending == .exited(0))
    #expect(!isGone(process))
    kill(process, SIGKILL)
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
          let running = Task { await supervisor.run(sh("exec sleep 3000", limit: nil)) }
          for _ in 0..<round * 5 { await Task.yield() }
          running.cancel()
          return await running.value.ending
        }
      }
      for await ending in group { #expect(ending == .cancelled) }
    }
  }
}
