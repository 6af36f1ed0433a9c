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
  private func reasons(_ wakeUps: WakeUps) async -> Set<WakeReason> {
    for await _ in wakeUps.news {
      let reasons = wakeUps.take().subtracting([.clockSet])
      if !reasons.isEmpty { return reasons }
    }
    return []
  }

  @Test func `a touch wakes, whether the file is there or not`() async throws {
    let wakeUps = try WakeUps(file: path)

    for _ in 1...3 {
      WakeFile.touch(path)
      #expect(await reasons(wakeUps) == [.file])
    }
    #expect(permissions(path) == 0o600)
  }

  @Test func `other processes wake, and so does a replaced file`() async throws {
    let wakeUps = try WakeUps(file: path)
    let supervisor = Supervisor()

    for script in ["touch \"$1\"", "rm \"$1\"; : > \"$1\"", "touch \"$1.new\"; mv \"$1.new\" \"$1\""] {
      #expect(await supervisor.run(sh(script, [path])).ending == .exited(0))
      #expect(await reasons(wakeUps) == [.file])
    }
  }

  @Test func `other files of the directory do not wake`() async throws {
    let wakeUps = try WakeUps(file: path)

    directory.file("bgfetch.db", "x")
    directory.file("wake.lock", "x")
    directory.file("wak", "x")
    // If one of them had woken it, the reasons would be taken before this moment.
    wakeUps.set(Instant(secondsSince1970: 1))

    #expect(await reasons(wakeUps) == [.time])
  }

  @Test func `many touches between two checks wake once`() async throws {
    let wakeUps = try WakeUps(file: path)

    for _ in 1...1000 { WakeFile.touch(path) }
    #expect(await reasons(wakeUps) == [.file])
    // Touches after the reasons were taken are one more reason, and then there are none.
    var rounds = 0
    wakeUps.set(Instant(secondsSince1970: 1))
    while await !reasons(wakeUps).contains(.time) { rounds += 1 }
    #expect(rounds <= 1000)
  }

  @Test func `a moment wakes at its time, and not before`() async throws {
    let wakeUps = try WakeUps(file: path)
    let clock = WallClock()
    let moment = clock.now() + .seconds(2)

    wakeUps.set(moment)
    #expect(await reasons(wakeUps) == [.time])
    // By the clock, the second has begun.
    #expect(clock.now() >= moment)
  }

  @Test func `a cancelled moment does not wake`() async throws {
    let wakeUps = try WakeUps(file: path)

    wakeUps.set(WallClock().now() + .seconds(1))
    wakeUps.set(nil)
    #expect(await Supervisor().run(sh("sleep 1.2; touch \"$1\"", [path])).ending == .exited(0))

    #expect(await reasons(wakeUps) == [.file])
  }

  @Test(arguments: ["rm -r \"$1\"", "mv \"$1\" \"$1.old\""])
  func `a removed directory is reported, and a new one of its name is watched`(script: String)
    async throws
  {
    let state = directory("state")
    mkdir(state, 0o700)
    let wakeUps = try WakeUps(file: state + "/wake")
    // The kernel does not report that the directory is gone while a file in it is open.
    guard case .acquired(let lock) = try FileLock.tryAcquire(state + "/lock", clock: WallClock()) else {
      return
    }
    defer { lock.release() }

    #expect(await Supervisor().run(sh(script, [state])).ending == .exited(0))
    #expect(await reasons(wakeUps) == [.directoryGone])
    #expect(throws: WakeFailure.self) { try wakeUps.watchAgain() }

    mkdir(state, 0o700)
    try wakeUps.watchAgain()
    WakeFile.touch(state + "/wake")
    #expect(await reasons(wakeUps) == [.file])
  }

  @Test func `its thread and its descriptors are released`() async throws {
    let before = entries("/proc/self/fd").count
    for _ in 1...50 { _ = try WakeUps(file: path) }

    // Other tests open and close files meanwhile, but never by the hundred.
    #expect(await eventually { entries("/proc/self/fd").count < before + 100 })
  }

  @Test(.enabled(if: setClock(), "only root may set the clock"))
  func `setting the clock wakes, whether a moment is set or not`() async throws {
    for moment in [nil, WallClock().now() + .hours(1)] {
      let wakeUps = try WakeUps(file: path)
      wakeUps.set(moment)

      #expect(setClock())

      for await _ in wakeUps.news where wakeUps.take().contains(.clockSet) { break }
      // And a moment wakes as before.
      wakeUps.set(Instant(secondsSince1970: 1))
      #expect(await reasons(wakeUps) == [.time])
    }
  }
}

/// Sets the clock to the time that it shows; false if that is not allowed.
private func setClock() -> Bool {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return clock_settime(CLOCK_REALTIME, &now) == 0
}
