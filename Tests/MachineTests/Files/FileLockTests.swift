// File locks: their holder, the content of the file, and when a lock is free.

import Core
import Glibc
import Machine
import TestKit
import Testing

/// Locks between this process and others, with flock(1) as the other.
@Suite struct FileLockTests {
  let directory = TestDirectory()
  let moment = Instant(secondsSince1970: 1_800_000_000)
  var path: String { directory("lock") }
  var clock: WallClock { WallClock(frozenAt: moment) }

  private func acquired() throws -> FileLock? { try FileLock.tryAcquire(path, clock: clock) }

  private func holder() throws -> LockHolder? { try acquired() == nil ? LockHolder(path) : nil }

  /// Whether another process is kept out.
  private func isHeld() async -> Bool {
    let ending = await sh("exec flock -n \"$1\" true", [path]).run().ending
    #expect(ending == .exited(0) || ending == .exited(1))
    return ending == .exited(1)
  }

  /// A process that holds the lock until the task is cancelled; it writes its number into `holder`.
  private func otherProcess() async -> Task<CommandResult, Never> {
    let task = Task { [path] in
      await sh(
        // Whole when it is there.
        "exec flock \"$1\" sh -c 'echo $$ > \"$1.new\" && mv \"$1.new\" \"$1.holder\"; exec sleep 3000' sh \"$1\"",
        [path], limit: nil
      ).run()
    }
    #expect(await eventually { access(path + ".holder", F_OK) == 0 })
    return task
  }

  @Test func `a free lock is taken and another process is kept out`() async throws {
    let lock = try acquired()

    #expect(await isHeld())
    #expect(lock != nil)
  }

  @Test func `the file says who holds the lock and since when, and is private`() throws {
    let lock = try acquired()

    let holder = try #require(try holder())

    #expect(holder.process == getpid())
    #expect(holder.since == moment)
    #expect(permissions(path) == 0o600)
    #expect(lock?.path == path)
  }

  @Test func `a released lock is free, and its file stays`() async throws {
    let lock = try acquired()
    lock?.release()
    lock?.release()

    #expect(await !isHeld())
    #expect(directory.names == ["lock"])
  }

  @Test(arguments: [
    "true", "echo x >> \"$1\"", "rm \"$1\"", "rm \"$1\"; : > \"$1\"",
    "mv \"$1\" \"$1.old\"; cp \"$1.old\" \"$1\"",
  ])
  func `a lock knows whether others find it`(script: String) async throws {
    let lock = try #require(try acquired())

    #expect(await sh(script, [path]).run().ending == .exited(0))

    #expect(await lock.isInPlace == isHeld())
    lock.release()
    #expect(!lock.isInPlace)
  }

  @Test func `a lock without references is released`() throws {
    _ = try acquired()

    #expect(try acquired() != nil)
  }

  @Test func `children do not inherit a lock`() async throws {
    let lock = try acquired()
    let child = await sh("sleep 3000 & echo $!", limit: nil).run()
    lock?.release()

    #expect(try acquired() != nil)
    for process in processes(child) { kill(process, SIGKILL) }
  }

  @Test func `a wait at a file that was removed ends with a lock that others see`() async throws {
    let old = try acquired()
    let waiting = Task { [path, clock] in try await FileLock.acquire(path, clock: clock) }
    await Task.yield()

    unlink(path)
    old?.release()
    let lock = try #require(try await waiting.value)

    #expect(await isHeld())
    lock.release()
  }

  @Test func `a holder that cannot be seen has no number`() async throws {
    let other = await otherProcess()
    // flock(1) writes nothing; this is the number of a process that has ended.
    directory.file("lock", "999999999\nnonsense\n")

    let holder = try #require(try holder())

    #expect(holder.process == nil)
    #expect(holder.since == nil)
    other.cancel()
    _ = await other.value
  }

  @Test func `the lock of a process that was killed is free`() async throws {
    let other = await otherProcess()
    let number = try text(readFile(path + ".holder", limit: ByteCount(100)))
    #expect(try holder() != nil)

    kill(try #require(pid_t(number.dropLast())), SIGKILL)

    #expect(await other.value.ending != .exited(0))
    #expect(try acquired() != nil)
  }

  @Test func `waiting ends when the other process does`() async throws {
    let other = await otherProcess()
    let waiting = Task { [path, clock] in try await FileLock.acquire(path, clock: clock) }

    other.cancel()
    let lock = try #require(try await waiting.value)

    #expect(try holder()?.process == getpid())
    lock.release()
  }

  @Test func `a cancelled wait ends at once and never keeps the lock`() async throws {
    let held = try acquired()
    let waiting = Task { [path, clock] in try await FileLock.acquire(path, clock: clock) }
    await Task.yield()

    waiting.cancel()

    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    held?.release()
    #expect(try await eventually { try acquired() != nil })
  }

  @Test func `waiting for a held lock ends in time, and a free one is taken at once`() async throws {
    let held = try acquired()
    let late = try await FileLock.acquire(path, clock: clock, patience: .milliseconds(1))
    held?.release()

    let lock = try await FileLock.acquire(path, clock: clock, patience: .seconds(3600))

    #expect(late == nil)
    #expect(lock != nil)
  }

  @Test func `a directory that is missing is reported`() async {
    let failure = FileFailure(path: directory("missing/lock"), problem: .missing)
    #expect(throws: failure) { try FileLock.tryAcquire(failure.path, clock: clock) }
    await #expect(throws: failure) { _ = try await FileLock.acquire(failure.path, clock: clock) }
  }
}
