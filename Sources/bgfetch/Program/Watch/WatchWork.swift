// What a run that stays does about what it hears: it looks around, begins cycles and transfers, reads the configuration
// again, and says what went wrong.

import Core
import Host
import StateStore
import Sync

extension Watch {
  /// Looks what there is to do, begins it, and sets when to look again.
  ///
  /// - Throws: what no later try would mend.
  mutating func look(isUrgent: Bool) async throws {
    let now = invocation.clock.now()
    var outlook = WatchOutlook()
    if books.mayBegin(at: now) {
      do {
        try holdDirectory()
        outlook = try await invocation.outlook(
          settings, try options(), countsDeliveries: cycles.isEmpty)
        if hasLookedInVain { lastError = [] }
        hasLookedInVain = false
      } catch {
        hasLookedInVain = true
        try setBack(by: error)
      }
    }
    let step = books.step(outlook, isUrgent: isUrgent, at: now)
    if let cause = step.cycle { try begin(cause) }
    if step.transfers { try beginTransfers() }
    // Where time stands still no moment comes.
    wakeUps.set(invocation.clock.isFrozen ? nil : step.wake)
    tellNext(step.wake)
  }

  /// Does what the reasons to be awake ask for.
  mutating func wake(by reasons: Set<WakeReason>) async throws {
    if reasons.contains(.directoryGone) { hasLostDirectory = true }
    if reasons.contains(.clockSet) { books.startOver() }
    try await look(isUrgent: !reasons.subtracting([.time]).isEmpty)
  }

  /// Begins a cycle.
  private mutating func begin(_ cause: RunCause) throws {
    lastCycle += 1
    let number = lastCycle
    var options = try options()
    options.cause = cause
    fetching = number
    cycles[number] = Task { [invocation, settings, tell, options] in
      let outcome: Result<RunReport, any Error>
      do {
        outcome = .success(
          try await invocation.cycle(settings, options) { tell.yield(.fetched(number)) })
      } catch {
        outcome = .failure(error)
      }
      tell.yield(.ended(number, outcome))
    }
  }

  /// Begins to work off transfers.
  private mutating func beginTransfers() throws {
    let options = try options()
    transfers = Task { [invocation, settings, tell] in
      let outcome: Result<RunReport, any Error>
      do {
        outcome = .success(try await invocation.transferCycle(settings, options))
      } catch {
        outcome = .failure(error)
      }
      tell.yield(.transferred(outcome))
    }
  }

  /// Takes note that a cycle has given the run lock back, which it may say more than once.
  mutating func endFetching(_ number: Int) {
    guard fetching == number else { return }
    fetching = nil
    books.endFetching()
  }

  /// Takes note that no transfers are worked off any more.
  mutating func endTransfers() {
    // Those that were cut short for a new configuration go on with that.
    let isCut = transfers?.isCancelled ?? false
    transfers = nil
    books.endTransfers()
    if isCut { books.startOver() }
  }

  /// What each cycle is asked to do.
  private func options() throws -> RunOptions {
    var options = try order.options(for: settings)
    options.isPunctual = true
    return options
  }

  /// Takes in what a cycle or transfers came to.
  ///
  /// - Throws: what no later try would mend.
  mutating func take(_ outcome: Result<RunReport, any Error>) throws {
    switch outcome {
    case .success(let report):
      lastError = []
      conclude(report)
    case .failure(let error): try setBack(by: error)
    }
  }

  /// Says what a cycle came to, if there was anything to do.
  mutating func conclude(_ report: RunReport) {
    guard report.due > 0 || report.transfers != TransferTotals() else { return }
    invocation.conclude(report)
    saysNext = true
  }
}

extension Watch {
  /// Reads the configuration again; where it is wrong, the one before stays.
  mutating func readConfiguration() async throws {
    let console = invocation.console
    invocation.manager.tell(.reloading)
    do {
      let read = try invocation.configuration().settings
      _ = try invocation.zone(read)
      guard read.state == settings.state else {
        throw ProgramFailure.usage(
          "the state directory is \(read.state) now; end this run --watch and start it again")
      }
      if read != settings {
        // One that cannot be resumed would begin from its start.
        if read.ofTransfers != settings.ofTransfers { transfers?.cancel() }
        settings = read
        books.startOver()
        // Items of feeds that are gone do not count any more, and perhaps nothing is due for hours.
        let store = try await invocation.openStore(settings, for: .writing)
        _ = try await invocation.updateBadge(settings, store)
        await store.close()
      }
      if RunAudience(console) != .quiet {
        console.say("read the configuration again: \(counted(settings.feeds.count, "feed"))")
      }
    } catch {
      for line in errorText(error).lines { console.say(line, .error) }
      console.say("bgfetch: the configuration that was read before stays in use", .error)
    }
    invocation.manager.tell(.ready)
    try await look(isUrgent: true)
  }

  /// Whether the terminal it was started in is gone: then nobody who would read a configuration again hangs up.
  var hasLostTerminal: Bool {
    invocation.console.error.isTerminal && !Terminal(.error, environment: [:]).isTerminal
  }

  /// Says what went wrong, and rests for a while.
  ///
  /// - Throws: the error, if no later try would mend it.
  mutating func setBack(by error: any Error) throws {
    guard !(error is CancellationError) else { return }
    guard isPassing(error) else { throw error }
    // A leak of open files ends only with the process; a service manager then starts it again.
    try makeRoomForOpenFiles()
    say(error)
    books.fail(at: invocation.clock.now())
  }

  /// Says what went wrong, but not again what was said last.
  mutating func say(_ error: any Error) {
    let lines = errorText(error).lines
    guard !(error is CancellationError), lines != lastError else { return }
    lastError = lines
    for line in lines { invocation.console.say(line, .error) }
  }

  /// Tells whoever may want to know when something is due again.
  fileprivate mutating func tellNext(_ wake: Instant?) {
    let text = watchText(
      feeds: settings.feeds.count, isFetching: books.isFetching, isTransferring: books.isTransferring,
      next: wake, in: try? invocation.zone(settings))
    invocation.manager.tell(.status(text))
    guard saysNext, cycles.isEmpty else { return }
    saysNext = false
    switch RunAudience(invocation.console) {
    case .terminal, .verbose: invocation.console.say(text)
    case .journal, .quiet: break
    }
  }
}

/// Whether an error may be gone at a later try, without this process being started anew.
private func isPassing(_ error: any Error) -> Bool {
  switch error {
  case StoreFailure.belongsTo, StoreFailure.newerSchema, StoreFailure.needsMigration, StoreFailure.corrupt,
    StoreFailure.foreign:
    false
  case ProgramFailure.watched, is WakeFailure: false
  default: true
  }
}
