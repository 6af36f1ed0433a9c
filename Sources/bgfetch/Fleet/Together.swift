// How the runs of machines that share a state stay out of each other's way: the answers of the server to `Coordination`, and the locks
// with which a run begins.

import Core
import Fleet
import Machine
import Running
import Store
import Synchronization

extension Coordination {
  /// The answers where machines share the state: a run fetches beside others, from the hosts that it has claimed.
  ///
  /// - Parameter effects: those of this machine.
  init(_ settings: Settings, _ effects: Effects, _ time: HoldTime, pause: PauseWatch) {
    let (store, tryLock, now) = (effects.store, effects.tryLock, effects.machine.now)
    self.init(alone: { HeldLock {} })
    roundLimit = settings.roundLimit
    keepsBadge = false
    planLock = { try await store.lock(.run, after: tryLock) }
    queueLock = { try await store.lock(.queue, after: tryLock) }
    claimedHosts = {
      // Dead runs give their hosts back before.
      try await store.freeAbandoned(at: now())
      return try await store.claimedHosts()
    }
    haveDied = { try await store.pulse().isAbandoned }
    release = { try await store.release($0, of: $1) }
    reserve = { try await store.reserveRequest(to: $0, delay: $1, lateness: $2, round: $3) }
    renewed = { await time.renewed() }
    isPaused = { pause.isPaused.load(ordering: .relaxed) }
  }
}

extension Store {
  /// Takes a lock of this machine, and then the lock of all machines; nil if another run has one of them.
  fileprivate nonisolated func lock(
    _ name: LockName, after tryLock: (LockName) async throws -> HeldLock?
  ) async throws -> HeldLock? {
    guard let machineLock = try await tryLock(name) else { return nil }
    guard try await acquireLock(name.text) else {
      machineLock.release()
      return nil
    }
    return HeldLock {
      machineLock.release()
      self.releaseSoon(name)
    }
  }

  /// Releases the lock of all machines, before what the store is asked next.
  private nonisolated func releaseSoon(_ name: LockName) {
    Task.immediate(executorPreference: ProgramTasks.executor) { await self.releaseLock(name.text) }
  }

  /// Waits until the run lock of all machines is free, which the others hold only while they plan.
  fileprivate nonisolated func runLock(within limit: TimeLimit) async throws -> HeldLock {
    while try await !acquireLock(LockName.run.text) {
      guard !limit.isOver else { throw ProgramFailure.lockedElsewhere }
      try await WallClock.sleep(for: .milliseconds(50))
    }
    return HeldLock { self.releaseSoon(.run) }
  }
}

extension OpenedState {
  /// Runs `work` beside the runs of other machines that share the state, if there are any.
  func withNeighbours<Output: Sendable>(
    _ alone: Effects, _ work: (Effects) async throws -> Output
  ) async throws -> Output {
    guard settings.server != nil, let time = await store.holdTime else { return try await work(alone) }
    var effects = alone
    // Requests end before another machine takes this one for dead, and sends its own to their hosts.
    let (fetch, download) = (alone.network.fetch, alone.network.download)
    effects.network.fetch = { request in await time.within { await fetch(request) } }
    effects.network.download = { request, body in await time.within { await download(request, body) } }
    let pause = PauseWatch()
    try await pause.poll(in: store)
    effects.coordination = Coordination(settings, alone, time, pause: pause)
    // Cancelled at the end of this scope.
    async let _ = pause.keepLooking(in: store)
    return try await work(effects)
  }
}

extension Invocation {
  /// Takes the locks of a machine that shares the state; nil if another run of this machine fetches what is due.
  ///
  /// The run lock is held only while a round is planned, so that a person's run need not wait for another one.
  func lockSharedRun(
    _ options: RunOptions, _ settings: Settings, within limit: TimeLimit
  ) async throws -> RunLocks? {
    var fetching: FileLock?
    if options.words.isEmpty, !options.isForced {
      do {
        fetching = try await acquire(settings.path(of: .fetching), waits: options.waits, within: limit)
      } catch ProgramFailure.locked {
        return nil
      }
    }
    let planning = try await acquire(settings.runLock, waits: true, within: limit)
    return RunLocks(
      fetching: HeldLock { [fetching] in fetching?.release() }, planning: HeldLock { planning.release() })
  }
}

extension OpenedState {
  /// Joins the machines that share the state, if there are any; false if they are paused.
  func joinMachines(isOfTimer: Bool) async throws -> Bool {
    guard settings.server != nil else { return true }
    try await store.requireQuickAnswers()
    try await store.riskCommits()
    try await store.waitForSilent()
    if !invocation.reportsToWatch { try await giveSign(isOfTimer: isOfTimer) }
    return try await !sayPause()
  }

  /// Adds the run lock of all machines that share the state to the planning lock, if there are any.
  ///
  /// - Throws: `ProgramFailure.lockedElsewhere` if it is not free in time; `otherConfiguration` unless this configuration is that
  ///   of all machines.
  func lockPlanning(_ locks: RunLocks, within limit: TimeLimit) async throws -> RunLocks {
    guard settings.server != nil else { return locks }
    let lock = try await store.runLock(within: limit)
    do {
      try await requireAgreement()
    } catch {
      lock.release()
      throw error
    }
    return RunLocks(
      fetching: locks.fetching,
      planning: HeldLock {
        lock.release()
        locks.planning.release()
      })
  }
}
