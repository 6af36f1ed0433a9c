import Host
import Testing

/// What is said of programs that cannot be started.
@Suite struct StartFailureTests {
  let supervisor = Supervisor()
  let directory = TestDirectory()

  private func failure(_ program: String, _ arguments: [String] = []) async -> CommandEnding {
    let path = directory.path
    let command = Command(
      program, arguments, environment: ["PATH": path], directory: path, limit: longestWait)
    return await supervisor.run(command).ending
  }

  @Test func `a name that is not on the PATH`() async {
    #expect(await failure("nothing") == .couldNotStart(.notFound("nothing")))
  }

  @Test func `the PATH is that of the environment given`() async {
    #expect(await failure("sh") == .couldNotStart(.notFound("sh")))
  }

  @Test func `an empty name`() async {
    #expect(await failure("") == .couldNotStart(.notFound("")))
  }

  @Test func `a file without permission to execute`() async {
    let file = directory.file("plain", "#!/bin/sh\n", permissions: 0o644)

    #expect(await failure("plain") == .couldNotStart(.notExecutable(file)))
  }

  @Test func `a directory`() async {
    #expect(await failure("/tmp") == .couldNotStart(.notAProgram("/tmp")))
  }

  @Test func `a script without its first line is not handed to a shell`() async {
    let file = directory.file("script", "echo hello\n", permissions: 0o755)

    #expect(await failure("script") == .couldNotStart(.notAProgram(file)))
  }

  @Test func `a script whose interpreter is missing`() async {
    let file = directory.file("script", "#!/no/such/interpreter\n", permissions: 0o755)

    #expect(await failure("script") == .couldNotStart(.interpreterMissing(file)))
  }

  @Test func `an argument with a NUL byte`() async {
    #expect(await failure("/bin/echo", ["a\0b"]) == .couldNotStart(.unusableText))
  }

  @Test func `arguments beyond what the system takes`() async {
    // One argument may have 128 KiB, execve(2).
    let long = String(repeating: "x", count: 200_000)

    #expect(await failure("/bin/echo", [long]) == .couldNotStart(.tooLong))
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
    let file = directory.file("tool", "#!/bin/sh\n", permissions: 0o755)

    #expect(try findProgram("./tool", path: nil, directory: directory.path) == directory.path + "/./tool")
    #expect(await failure("./tool") == .exited(0))
    #expect(file.hasSuffix("/tool"))
  }
}
