// Running commands: their output, their end, and why they cannot start.

import Glibc
import Machine
import TestKit
import Testing

/// Real processes; the rules of ending alone are in SupervisionTests.
@Suite struct RunningCommandsTests {

  @Test(arguments: [("exit 7", CommandEnding.exited(7)), ("kill -HUP $$", .signalled(SIGHUP))])
  func `a program's exit status, or the signal that ended it, is its result`(
    script: String, ending: CommandEnding
  ) async {
    #expect(await sh(script).run().ending == ending)
  }

  @Test func `arguments reach the program byte for byte and no shell reads them`() async {
    let arguments = ["$(id)", "a b", "", "*", "';--", "é\n"]

    let result = await Command(
      "printf", ["%s|"] + arguments, environment: ["PATH": "/usr/bin"], directory: "/", limit: nil
    ).run()

    #expect(text(result.output) == arguments.map { $0 + "|" }.joined())
  }

  @Test func `the environment is exactly the one given`() async {
    let result = await Command(
      "/usr/bin/env", [], environment: ["B": "2=3", "A": ""], directory: "/", limit: nil
    ).run()

    #expect(text(result.output) == "A=\nB=2=3\n")
  }

  @Test func `the working directory is the one given, and the root where that cannot be entered`() async {
    let directory = TestDirectory()
    var command = sh("pwd")
    command.directory = directory.path

    let inside = await command.run()
    command.directory = directory("missing")
    let outside = await command.run()

    #expect(inside.firstLine == directory.path)
    #expect(outside.firstLine == "/")
  }

  @Test func `without input the program reads nothing`() async {
    #expect(await sh("wc -c").run().firstLine == "0")
  }

  @Test func `input larger than a pipe arrives whole while the output is read`() async {
    let input = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

    let result = await sh("cat", input: input, outputLimit: 2 << 20).run()

    #expect(result.output == input)
    #expect(!result.isOutputCut)
  }

  @Test(arguments: ["exec <&-; exit 0", "exit 0", "head -c 1 >/dev/null"])
  func `a program that does not read its input is not a failure`(script: String) async {
    let input = [UInt8](repeating: 0, count: 1 << 20)

    #expect(await sh(script, input: input).run().ending == .exited(0))
  }

  @Test func `a program that never reads its input is ended at its time limit`() async {
    let input = [UInt8](repeating: 0, count: 1 << 20)

    let result = await sh("exec sleep 3000", input: input, limit: .milliseconds(50)).run()

    #expect(result.ending == .timedOut)
  }

  @Test func `the end of standard error is kept`() async {
    let result = await sh("seq 1 100000 >&2; printf end >&2", errorLimit: 10).run()

    #expect(text(result.errorTail) == "100000\nend")
  }

  @Test func `a child has no file of ours beside its three streams`() async {
    let ours = open("/dev/null", O_RDONLY)  // on purpose without O_CLOEXEC
    defer { close(ours) }

    // The fourth is the directory that ls itself reads.
    let result = await sh("exec ls /proc/self/fd").run()

    #expect(text(result.output) == "0\n1\n2\n3\n")
  }

  @Test func `a child starts with default signals, none blocked`() async {
    Signals.ignoreBrokenPipes()

    let result = await sh("grep -E '^Sig(Blk|Ign):' /proc/self/status | cut -f 2").run()

    let masks = text(result.output).split(separator: "\n").compactMap { UInt64($0, radix: 16) }
    // The C library reserves signals 32 and 33, and ignores them in spawned programs.
    #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
  }

  @Test func `a child leads a process group and a session of its own`() async {
    let result = await sh("cut -d ' ' -f 1,5,6 /proc/$$/stat").run()

    let numbers = text(result.output).split { $0 == " " || $0 == "\n" }
    #expect(numbers.count == 3)
    #expect(Set(numbers).count == 1)
  }

  @Test func `a hundred programs at once all end with their own result`() async {
    let results = await withTaskGroup(of: (Int32, CommandResult).self) { group in
      for number in 0..<100 {
        group.addTask {
          (Int32(number), await sh("cat; exit \(number)", input: Array("\(number)".utf8)).run())
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(results.count == 100)
    #expect(results.allSatisfy { $1.ending == .exited($0) && text($1.output) == "\($0)" })
  }
}

/// Ending real programs that do not want to end.
@Suite struct EndingTests {

  /// Runs a script and cancels it once the script has said that it is ready, by making the file `$1`.
  private func cancelledWhenReady(
    _ script: String, grace: Duration = .milliseconds(100), outputLimit: Int = 4096
  ) async -> CommandResult {
    let directory = TestDirectory()
    let marker = directory("ready")
    let command = sh(script, [marker], limit: nil, grace: grace, outputLimit: outputLimit)
    let running = Task { await command.run() }
    #expect(await eventually { access(marker, F_OK) == 0 })
    running.cancel()
    return await running.value
  }

  private static let ignoring = "trap '' TERM; sleep 3000 & echo $!; echo $$; : > \"$1\"; sleep 3000"
  private static let stopped = "until grep -q '^State:.T' /proc/$1/status; do :; done; : > \"$2\""

  /// With a grace of minutes, the whole group is gone within a second of the cancellation.
  @Test(
    arguments: [
      ("sleep 3000 & echo $!; echo $$; : > \"$1\"; wait", .milliseconds(100), 2),
      (ignoring, .milliseconds(100), 2), (ignoring, .seconds(600), 2),
      // Only the leader obeys.
      (
        "sh -c 'trap \"\" TERM; echo $$; : > \"$1\"; sleep 3000; sleep 3000' sh \"$1\" & wait",
        .milliseconds(100), 1
      ),
      // A program that is stopped.
      (
        "echo $$; sh -c '\(stopped.replacing("'", with: "'\\''"))' sh $$ \"$1\" & kill -STOP $$",
        .seconds(600), 1
      ),
    ] as [(String, Duration, Int)])
  func `cancelling the task ends the whole group, whether it obeys or ignores SIGTERM`(
    script: String, grace: Duration, count: Int
  ) async {
    let result = await cancelledWhenReady(script, grace: grace)

    #expect(result.ending == .cancelled)
    #expect(processes(result).count == count)
    // A process that was killed closes its output a moment before it is gone.
    #expect(await eventually { processes(result).allSatisfy(isGone) })
  }

  @Test func `a program may tidy up within the grace`() async {
    let result = await sh(
      "trap 'echo tidied; exit 0' TERM; sleep 3000 & wait", limit: .seconds(10), grace: .seconds(600)
    ).run()

    #expect(result.firstLine == "tidied")
  }

  @Test func `a process that left the group with the output open does not delay a cancellation`() async throws
  {
    let result = await cancelledWhenReady(
      "setsid sh -c 'trap \"\" TERM; echo $$; : > \"$1\"; sleep 3000' sh \"$1\" & wait", grace: .seconds(600))

    let process = try #require(processes(result).first)
    #expect(result.ending == .cancelled)
    #expect(!isGone(process))
    kill(-process, SIGKILL)
  }

  @Test func `the beginning of endless output is kept`() async {
    let result = await cancelledWhenReady("echo first; echo second; : > \"$1\"; exec yes", outputLimit: 8)

    #expect(text(result.output) == "first\nse")
    #expect(result.isOutputCut)
  }

  @Test func `a whole group is gone after its time limit`() async {
    let result = await sh(
      "trap '' TERM; sleep 3000 & echo $!; echo $$; sleep 3000", limit: .milliseconds(200)
    ).run()

    // The script may have come to any point by then.
    #expect(result.ending == .timedOut)
    // A process that was killed closes its output a moment before it is gone.
    #expect(await eventually { processes(result).allSatisfy(isGone) })
  }

  @Test func `a background process that keeps the output open delays nothing and survives`() async throws {
    let result = await sh("sleep 3000 & echo $!", limit: nil).run()

    let process = try #require(processes(result).first)
    #expect(result.ending == .exited(0))
    #expect(!isGone(process))
    kill(process, SIGKILL)
  }

  @Test func `a task that was cancelled before starts nothing`() async {
    let directory = TestDirectory()
    let marker = directory("started")
    let running = Task {
      while !Task.isCancelled { await Task.yield() }
      return await sh(": > \"$1\"", [marker]).run()
    }

    running.cancel()

    #expect(await running.value.ending == .cancelled)
    #expect(access(marker, F_OK) == -1)
  }

  @Test func `cancelling at any moment always gives a result`() async {
    await withTaskGroup(of: CommandEnding.self) { group in
      for round in 0..<40 {
        group.addTask {
          let running = Task { await sh("exec sleep 3000", limit: nil).run() }
          for _ in 0..<round * 5 { await Task.yield() }
          running.cancel()
          return await running.value.ending
        }
      }
      for await ending in group { #expect(ending == .cancelled) }
    }
  }
}

/// The failures of programs that cannot be started.
@Suite struct StartFailureTests {
  let directory = TestDirectory()

  private func failure(_ program: String, _ arguments: [String] = []) async -> CommandEnding {
    let path = directory.path
    let command = Command(
      program, arguments, environment: ["PATH": path], directory: path, limit: longestWait)
    return await command.run().ending
  }

  @Test func `a program that cannot be started has its reason, and no shell is asked`() async {
    let plain = directory.file("plain", "#!/bin/sh\n", permissions: 0o644)
    let script = directory.file("script", "echo hello\n", permissions: 0o755)
    let odd = directory.file("odd", "#!/no/such/interpreter\n", permissions: 0o755)
    // One argument may have 128 KiB, execve(2). The PATH is the directory, without sh.
    let long = String(repeating: "x", count: 200_000)
    let rows: [(program: String, arguments: [String], StartFailure)] = [
      ("nothing", [], .notFound("nothing")), ("sh", [], .notFound("sh")), ("", [], .notFound("")),
      ("plain", [], .notExecutable(plain)), ("/tmp", [], .notAProgram("/tmp")),
      ("script", [], .notAProgram(script)), ("odd", [], .interpreterMissing(odd)),
      ("/bin/echo", ["a\0b"], .unusableText), ("/bin/echo", [long], .system(SystemError(code: E2BIG))),
    ]

    for (program, arguments, reason) in rows {
      #expect(await failure(program, arguments) == .couldNotStart(reason), "\(program)")
    }
  }

  @Test func `a name that is executable later on the PATH is found there`() throws {
    directory.file("sh", "", permissions: 0o644)

    #expect(try findProgram("sh", path: directory.path + ":/bin", directory: "/") == "/bin/sh")
  }

  @Test func `empty and relative parts of the PATH are passed over`() {
    directory.file("tool", "#!/bin/sh\n", permissions: 0o755)

    #expect(throws: StartFailure.notFound("tool")) {
      try findProgram("tool", path: ":.:", directory: directory.path)
    }
  }

  @Test func `a relative path starts in the working directory of the program`() async throws {
    directory.file("tool", "#!/bin/sh\n", permissions: 0o755)

    #expect(try findProgram("./tool", path: nil, directory: directory.path) == directory.path + "/./tool")
    #expect(await failure("./tool") == .exited(0))
  }
}
