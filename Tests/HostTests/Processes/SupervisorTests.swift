import Glibc
import Host
import Testing

/// Real processes under a real supervisor; the rules of ending alone are in SupervisionTests.
@Suite struct SupervisorTests {
  let supervisor = Supervisor()

  @Test func `a program's exit status is its result`() async {
    let result = await supervisor.run(sh("exit 7"))

    #expect(result.ending == .exited(7))
  }

  @Test func `a signal that did not come from here is told`() async {
    let result = await supervisor.run(sh("kill -HUP $$"))

    #expect(result.ending == .signalled(SIGHUP))
  }

  @Test func `arguments reach the program byte for byte and no shell reads them`() async {
    let arguments = ["$(id)", "a b", "", "*", "';--", "é\n"]

    let result = await supervisor.run(
      Command("printf", ["%s|"] + arguments, environment: ["PATH": "/usr/bin"], directory: "/", limit: nil))

    #expect(text(result.output) == arguments.map { $0 + "|" }.joined())
  }

  @Test func `the environment is exactly the one given`() async {
    let result = await supervisor.run(
      Command("/usr/bin/env", [], environment: ["B": "2=3", "A": ""], directory: "/", limit: nil))

    #expect(text(result.output) == "A=\nB=2=3\n")
  }

  @Test func `the working directory is the one given, and the root where that cannot be entered`() async {
    let directory = TestDirectory()
    var command = sh("pwd")
    command.directory = directory.path

    let inside = await supervisor.run(command)
    command.directory = directory("missing")
    let outside = await supervisor.run(command)

    #expect(inside.firstLine == directory.path)
    #expect(outside.firstLine == "/")
  }

  @Test func `without input the program reads nothing`() async {
    let result = await supervisor.run(sh("wc -c"))

    #expect(result.firstLine == "0")
  }

  @Test func `input larger than a pipe arrives whole while the output is read`() async {
    let input = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

    let result = await supervisor.run(sh("cat", input: input, outputLimit: 2 << 20))

    #expect(result.output == input)
    #expect(!result.isOutputCut)
  }

  @Test(arguments: ["exec <&-; exit 0", "exit 0", "head -c 1 >/dev/null"])
  func `a program that does not read its input is no failure`(script: String) async {
    let input = [UInt8](repeating: 0, count: 1 << 20)

    let result = await supervisor.run(sh(script, input: input))

    #expect(result.ending == .exited(0))
  }

  @Test func `a program that never reads its input is ended at its time limit`() async {
    let input = [UInt8](repeating: 0, count: 1 << 20)

    let result = await supervisor.run(sh("exec sleep 3000", input: input, limit: .milliseconds(50)))

    #expect(result.ending == .timedOut)
  }

  @Test func `of standard error the end is kept`() async {
    let result = await supervisor.run(sh("seq 1 100000 >&2; printf end >&2", errorLimit: 10))

    #expect(text(result.errorTail) == "100000\nend")
  }

  @Test func `a child has no file of ours beside its three streams`() async {
    let ours = open("/dev/null", O_RDONLY)  // on purpose without O_CLOEXEC
    defer { close(ours) }

    // The fourth is the directory that ls itself reads.
    let result = await supervisor.run(sh("exec ls /proc/self/fd"))

    #expect(text(result.output) == "0\n1\n2\n3\n")
  }

  @Test func `a child starts with default signals, none blocked`() async {
    Signals.ignoreBrokenPipes()

    let result = await supervisor.run(sh("grep -E '^Sig(Blk|Ign):' /proc/self/status | cut -f 2"))

    let masks = text(result.output).split(separator: "\n").compactMap { UInt64($0, radix: 16) }
    // The C library keeps signals 32 and 33 to itself, and ignored in what it spawns.
    #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
  }

  @Test func `a child leads a process group and a session of its own`() async {
    let result = await supervisor.run(sh("cut -d ' ' -f 1,5,6 /proc/$$/stat"))

    let numbers = text(result.output).split { $0 == " " || $0 == "\n" }
    #expect(numbers.count == 3)
    #expect(Set(numbers).count == 1)
  }

  @Test func `nothing is left of a program that has ended, not even a zombie`() async throws {
    let result = await supervisor.run(sh("echo $$"))

    let process = try #require(processes(result).first)
    #expect(kill(process, 0) == -1 && errno == ESRCH)
  }

  @Test func `a hundred programs at once all end with their own result`() async {
    let results = await withTaskGroup(of: (Int32, CommandResult).self) { group in
      for number in 0..<100 {
        group.addTask {
          (Int32(number), await supervisor.run(sh("cat; exit \(number)", input: Array("\(number)".utf8))))
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(results.count == 100)
    #expect(results.allSatisfy { $1.ending == .exited($0) && text($1.output) == "\($0)" })
  }
}
