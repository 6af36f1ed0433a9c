// Waking a process that sleeps.

import Core
import Glibc
import Machine
import Testing

/// One after the other: the test that sets the clock cancels every timer of the machine, and these tests set theirs once.
@Suite(.serialized) struct WakeUpsTests {
  let directory = TestDirectory()
  var path: String { directory("wake") }

  /// The next reasons, except a set clock, because the test that sets the clock wakes all others, too.
  private func reasons(_ wakeUps: WakeUps, until moment: Instant? = nil) -> Set<WakeReason> {
    for _ in 0..<10 {
      let reasons = wakeUps.sleep(until: moment, atMost: .seconds(60))?.subtracting([.clockSet]) ?? []
      if !reasons.isEmpty { return reasons }
    }
    return []
  }

  private let past = Instant(secondsSince1970: 1)

  @Test func `a touch wakes, whether the file is there or not`() async throws {
    let wakeUps = try WakeUps(file: path)

    for _ in 1...3 {
      WakeFile.touch(path)
      #expect(reasons(wakeUps) == [.file])
    }
    #expect(permissions(path) == 0o600)
  }

  @Test func `other processes wake, and so does a replaced file`() async throws {
    let wakeUps = try WakeUps(file: path)

    for script in ["touch \"$1\"", "rm \"$1\"; : > \"$1\"", "touch \"$1.new\"; mv \"$1.new\" \"$1\""] {
      #expect(await sh(script, [path]).run().ending == .exited(0))
      #expect(reasons(wakeUps) == [.file], "\(script)")
    }
  }

  @Test func `other files of the directory do not wake`() async throws {
    let wakeUps = try WakeUps(file: path)

    directory.file("bgfetch.db", "x")
    directory.file("wake.lock", "x")
    directory.file("wak", "x")
    #expect(wakeUps.sleep(until: nil, atMost: .zero).map { $0 == [.clockSet] } ?? true)

    #expect(reasons(wakeUps, until: past) == [.time])
  }

  @Test func `a file that is written, replaced or led to by another link wakes`() async throws {
    let wakeUps = try WakeUps(file: path)
    let other = TestDirectory()
    let file = directory.file("a.yaml", "x")
    try #require(symlink(other.file("b.yaml", "x"), directory("link")) == 0)
    wakeUps.watch(files: [file, directory("link"), directory("missing/c.yaml")])

    for script in [
      "echo y > \"$1/a.yaml\"", "echo y > \"$1/new\"; mv \"$1/new\" \"$1/a.yaml\"", "echo y > \"$2/b.yaml\"",
      "ln -sfn \"$1/a.yaml\" \"$1/link\"", "rm \"$1/a.yaml\"",
    ] {
      #expect(await sh(script, [directory(""), other("")]).run().ending == .exited(0))
      #expect(reasons(wakeUps) == [.filesChanged], "\(script)")
    }
    wakeUps.watch(files: [])
    _ = reasons(wakeUps, until: past)
    directory.file("a.yaml", "x")
    #expect(reasons(wakeUps, until: past) == [.time])
  }

  @Test func `many touches between two checks wake once`() async throws {
    let wakeUps = try WakeUps(file: path)

    for _ in 1...1000 { WakeFile.touch(path) }
    #expect(reasons(wakeUps) == [.file])
    #expect(reasons(wakeUps, until: past) == [.time])
  }

  @Test func `a moment wakes at its time, and not before`() async throws {
    let wakeUps = try WakeUps(file: path)
    let clock = WallClock()
    let moment = clock.now() + .seconds(2)

    #expect(reasons(wakeUps, until: moment) == [.time])
    // By the clock, the second has begun.
    #expect(clock.now() >= moment)
  }

  @Test(arguments: ["rm -r \"$1\"", "mv \"$1\" \"$1.old\""])
  func `a removed directory is reported`(script: String) async throws {
    let state = directory("state")
    mkdir(state, 0o700)
    let wakeUps = try WakeUps(file: state + "/wake")
    // The kernel does not report that the directory is gone while a file in it is open.
    let lock = try #require(try FileLock.tryAcquire(state + "/lock", clock: WallClock()))
    defer { lock.release() }

    #expect(await sh(script, [state]).run().ending == .exited(0))
    #expect(reasons(wakeUps) == [.directoryGone])
  }

  @Test func `a limit, a report and the end of a program wake without a reason`() throws {
    let wakeUps = try WakeUps(file: path)
    #expect(wakeUps.sleep(until: nil, atMost: .zero) == nil)

    var program = try ReportingProgram(sh("echo one >&0; echo two >&0; exit 3", []))
    var (lines, ending): ([String], CommandEnding?) = ([], nil)
    while ending == nil {
      let woken = wakeUps.sleep(until: nil, atMost: .seconds(300), or: nil, [program])
      try #require(woken?.subtracting([.clockSet]) == [])
      let news = program.news()
      lines += news.lines
      ending = news.ending
    }

    #expect(lines == ["one", "two"])
    #expect(ending == .exited(3))
  }

  @Test(.enabled(if: setClock(), "only root may set the clock"))
  func `setting the clock wakes, whether a moment is set or not`() async throws {
    for moment in [nil, WallClock().now() + .hours(1)] {
      let wakeUps = try WakeUps(file: path)
      #expect(wakeUps.sleep(until: moment, atMost: .zero) != [.time])

      #expect(setClock(), "\(moment)")

      var isSet = false
      for _ in 0..<10 where !isSet {
        isSet = wakeUps.sleep(until: moment, atMost: .seconds(60))?.contains(.clockSet) == true
      }
      #expect(isSet, "\(moment)")
      // And a moment wakes as before.
      #expect(reasons(wakeUps, until: past) == [.time], "\(moment)")
    }
  }
}

/// Sets the clock to the time that it shows; false if that is not allowed.
private func setClock() -> Bool {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return clock_settime(CLOCK_REALTIME, &now) == 0
}
