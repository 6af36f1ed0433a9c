// Programs that run on the terminal of this process, and programs that outlive it.

import Core
import Machine
import Testing

@Suite struct ForegroundTests {
  @Test func `a program on the terminal has ended when the call returns`() throws {
    let directory = TestDirectory()

    let ending = try runOnTerminal(
      sh("exec > '\(directory.path)/done'; echo session $(ps -o sid= -p $$); exit 7"))

    #expect(ending == .exited(7))
    let text = try readFile(directory.path + "/done", limit: ByteCount(100))
    #expect(String(decoding: text, as: UTF8.self).hasPrefix("session"))
  }

  @Test func `a program that does not exist is a failure`() {
    let missing = Command("/nowhere/browser", [], environment: [:], directory: "/", limit: nil)

    #expect(throws: StartFailure.notFound("/nowhere/browser")) { try runOnTerminal(missing) }
    #expect(throws: StartFailure.notFound("/nowhere/browser")) { try DetachedProgram(missing) }
  }
}
