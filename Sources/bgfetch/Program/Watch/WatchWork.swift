// How `run --watch` handles its events: looks for work, starts cycles and transfers, reads the configuration again.

import Core
import Machine

extension Watch {
  /// Starts the work that is due, and sets when to check again.
  ///
  /// - Throws: permanent errors.
  mutating func decide(isUrgent: Bool) async throws {
    let now = invocation.clock.now()
    var outlook = WatchOutlook()
    if hasLostDirectory || scheduler.mayBegin(at: now) {
      do {
        try relockDirectory()
        outlook = try await invocation.outlook(
          settings, try options(), countsDeliveries: cycles.isEmpty)
        if lastLookFailed { lastError = [] }
        lastLookFailed = false
      } catch {
        lastLookFailed = true
        try recover(by: error)
      }
    }
    let step = scheduler.step(outlook, isUrgent: isUrgent, at: now)
    if let cause = step.cycle { try begin(cause) }
    if step.transfers { try beginTransfers() }
    // A frozen clock never reaches a later moment.
    let wake = settings.isShared ? sharedWake(step.wake, at: now) : step.wake
    wakeUps.set(invocation.clock.isFrozen ? nil : wake)
    reportNext(step.wake)
  }

  /// Handles a wake-up.
  mutating func wake(by reasons: Set<WakeReason>) async throws {
    if reasons.contains(.directoryGone) { hasLostDirectory = true }
    if reasons.contains(.clockSet) { scheduler.startOver() }
    try await decide(isUrgent: !reasons.subtracting([.time]).isEmpty)
  }

  /// When to look again where machines share the state: soon, because others change it, but not at once, because the clock
  /// of the server counts, which this one may be ahead of.
  private func sharedWake(_ wake: Instant?, at now: Instant) -> Instant {
    max(now + .seconds(1), min(wake ?? now + .seconds(2), now + .seconds(2)))
  }

  private mutating func begin(_ cause: RunCause) throws {
    lastCycle += 1
    let number = lastCycle
    var options = try options()
    options.cause = cause
    fetching = number
    cycles[number] = Task(executorPreference: ProgramTasks.executor) {
      [invocation, settings, events, options] in
      let outcome = await Result(of: {
        try await invocation.cycle(settings, options) { events.yield(.fetched(number)) }
      })
      events.yield(.ended(number, outcome))
    }
  }

  private mutating func beginTransfers() throws {
    let options = try options()
    transfers = Task(executorPreference: ProgramTasks.executor) { [invocation, settings, events] in
      let outcome = await Result(of: { try await invocation.transferCycle(settings, options) })
      events.yield(.transferred(outcome))
    }
  }

  /// Notes that a cycle has released the run lock, which may be reported more than once.
  mutating func endFetching(_ number: Int) {
    guard fetching == number else { return }
    fetching = nil
    scheduler.endFetching()
  }

  /// Notes that the transfer phase has ended.
  mutating func endTransfers() {
    // Transfers that were cancelled for a new configuration continue under it.
    let isCut = transfers?.isCancelled ?? false
    transfers = nil
    scheduler.endTransfers()
    if isCut { scheduler.startOver() }
  }

  /// The options of a cycle.
  private func options() throws -> RunOptions {
    var options = try order.options(for: settings)
    options.dueNote = dueNote
    options.isPunctual = true
    return options
  }

  /// Reports how a cycle or transfer phase ended.
  ///
  /// - Throws: permanent errors.
  mutating func take(_ outcome: Result<RunReport, any Error>) throws {
    switch outcome {
    case .success(let report):
      lastError = []
      conclude(report)
    case .failure(let error): try recover(by: error)
    }
  }

  /// Reports a cycle, if there was anything to do.
  mutating func conclude(_ report: RunReport) {
    guard report.hadWork else { return }
    invocation.conclude(report)
    reportsNext = true
  }
}

extension Watch {
  /// Reads the configuration again; if it is invalid, the previous one stays in use.
  mutating func readConfiguration() async throws {
    let console = invocation.console
    invocation.manager.notify(.reloading)
    do {
      var loaded = try invocation.configuration()
      try invocation.lowerConnections(&loaded.settings)
      let read = loaded.settings
      _ = try invocation.zone(read)
      guard read.state == settings.state else {
        throw ProgramFailure.usage(
          "the state directory is \(read.state) now; end this run --watch and start it again")
      }
      if read != settings {
        // A transfer that cannot be resumed would start over, so transfers are cancelled only if necessary.
        if !read.hasSameTransfers(as: settings) { transfers?.cancel() }
        // The badge must not count items of removed feeds until the next cycle, which may be hours away.
        let store = try await invocation.openStore(read, for: .writing)
        _ = try await invocation.updateBadge(try await invocation.withCatalog(read, store), store)
        await store.close()
        settings = read
        dueNote = SourceVersions.dueNote(loaded, isPunctual: true, invocation)
        scheduler.startOver()
      }
      if RunAudience(console) != .quiet {
        console.say("read the configuration again: \(counted(settings.feeds.count, "feed"))")
      }
    } catch {
      for line in errorText(error).lines { console.say(line, .error) }
      console.say("bgfetch: the previous configuration stays in use", .error)
    }
    invocation.manager.notify(.ready)
    try await decide(isUrgent: true)
  }

  /// Whether the terminal in which it was started was closed; SIGHUP then means that.
  var hasLostTerminal: Bool {
    invocation.console.error.isTerminal && !Terminal(.error, environment: [:]).isTerminal
  }

  /// Reports an error and pauses for a while.
  ///
  /// - Throws: the error, if it is permanent.
  mutating func recover(by error: any Error) throws {
    guard !(error is CancellationError) else { return }
    guard isTransient(error) else { throw error }
    // A leak of open files ends only with the process; a service manager then starts it again.
    try OpenFiles.makeRoom()
    say(error)
    scheduler.fail(at: invocation.clock.now())
  }

  /// Reports an error, unless it is the same as the last one.
  mutating func say(_ error: any Error) {
    let lines = errorText(error).lines
    guard !(error is CancellationError), lines != lastError else { return }
    lastError = lines
    for line in lines { invocation.console.say(line, .error) }
  }

  /// Reports to the service manager and the terminal when something is due next.
  fileprivate mutating func reportNext(_ wake: Instant?) {
    let text = watchText(
      feeds: settings.feeds.count, isFetching: scheduler.isFetching, isTransferring: scheduler.isTransferring,
      next: wake, in: try? invocation.zone(settings))
    invocation.manager.notify(.status(text))
    guard reportsNext, cycles.isEmpty else { return }
    reportsNext = false
    switch RunAudience(invocation.console) {
    case .terminal, .verbose: invocation.console.say(text)
    case .journal, .quiet: break
    }
  }
}

extension Watch {
  /// Locks and watches the state directory again if it was replaced.
  ///
  /// No event reports that a parent directory was moved or a file system unmounted, but the path then leads to another
  /// lock file, or to none.
  ///
  /// - Throws: an error of creating, locking or watching it; the next call tries again.
  mutating func relockDirectory() throws {
    guard hasLostDirectory || !lock.isInPlace else { return }
    hasLostDirectory = true
    try invocation.makeStateDirectory(settings)
    // The process with the lock of the new directory started later; the old directory may also have come back.
    if !lock.isInPlace { lock = try invocation.watchLock(settings) }
    try wakeUps.watchAgain()
    hasLostDirectory = false
    // Nothing in it was left by an earlier cycle.
    scheduler.startOver()
  }
}

/// Whether a later try may succeed without restarting this process.
private func isTransient(_ error: any Error) -> Bool {
  switch error {
  case StoreFailure.belongsTo, StoreFailure.newerSchema, StoreFailure.needsMigration, StoreFailure.corrupt,
    StoreFailure.foreign:
    false
  case ProgramFailure.watched, is WakeFailure: false
  default: true
  }
}
