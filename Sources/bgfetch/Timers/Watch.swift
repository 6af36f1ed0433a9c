// `run --watch`: a process that sleeps in poll(2) and starts a run when something is due, as cron would.

import Core
import Machine
import Running
import Store

extension Invocation {
  /// Starts runs as feeds become due, until a signal ends it.
  func watch(_ options: RunOptions) async throws -> ExitStatus {
    guard !isInHook else { throw ProgramFailure.runInHook }
    var watch = try await Watch(self, options)
    return try await watch.run()
  }

  /// The configuration as a run would read it.
  fileprivate func configurationToWatch() throws -> LoadedConfiguration {
    var loaded = try configuration()
    try lowerConnections(&loaded.settings)
    _ = try zone(loaded.settings)
    return loaded
  }
}

/// The state of a `run --watch`.
private struct Watch {
  let invocation: Invocation
  var options: RunOptions
  var loaded: LoadedConfiguration
  /// Looks for work.
  var session: WatchSession
  /// Allows one `run --watch` for the state directory.
  let lock: FileLock
  /// The files, existing or not, that the time zone depends on, as they were when it was read.
  var zoneFiles: [(path: String, stamp: FileStamp?)] = []
  let wakeUps: WakeUps
  let signals: StopSignals
  /// Decides when runs start.
  var scheduler = WatchScheduler()
  /// The runs that have not ended; at most one of them fetches.
  var runs: [WatchedRun] = []
  /// Notices changes of the machine while something waits for a condition.
  var surroundings: SurroundingsWatch?
  /// The last error, which is reported once.
  var lastError = ReportedError()
  /// Whether the last look for work failed.
  var lastPollFailed = false
  /// Whether to report when something is due next.
  var reportsNext = true

  var settings: Settings { loaded.settings }

  /// Locks and opens everything once, so that permanent errors appear at the start.
  init(_ invocation: Invocation, _ options: RunOptions) async throws {
    self.invocation = invocation
    self.options = options
    loaded = try invocation.configurationToWatch()
    session = WatchSession(invocation)
    try invocation.makeStateDirectory(loaded.settings)
    let path = loaded.settings.state + "/watch.lock"
    guard let lock = try FileLock.tryAcquire(path, clock: invocation.clock) else {
      throw ProgramFailure.watched(LockHolder(path), path: path)
    }
    self.lock = lock
    await (try invocation.open(loaded.settings, for: .writing)).store.close()
    wakeUps = try WakeUps(file: loaded.settings.wakeFile)
    signals = try StopSignals()
    recordSources()
  }

  /// Runs until a signal or a permanent error ends it.
  mutating func run() async throws -> ExitStatus {
    invocation.manager.notify(.ready)
    do {
      let signal = try await workUntilStopped()
      end(by: signal)
      return .stopped(signal)
    } catch {
      end(by: .terminate)
      throw error
    }
  }

  /// Starts runs until a signal asks it to stop.
  private mutating func workUntilStopped() async throws -> StopSignal {
    var wake = try await decide(isUrgent: true)
    while true {
      let reasons = sleep(until: wake)
      if reasons.contains(.directoryGone) { throw lostDirectory }
      if reasons.contains(.clockSet) { scheduler.startOver() }
      if !reasons.isDisjoint(with: [.surroundingsChanged, .clockSet]) { invocation.surroundings.forget() }
      var isUrgent = !reasons.subtracting([.time, .filesChanged]).isEmpty
      var isValid: Bool?
      for signal in signals.received() {
        guard signal == .hangUp, !hasLostTerminal else { return signal }
        isValid = await reload()
        isUrgent = true
      }
      // A run writes the badge of the configuration that it has read.
      if try hear() { try? await updateBadge(settings) }
      wake = try await decide(isUrgent: isUrgent, hasRead: isValid)
    }
  }

  /// Sleeps until there is something to handle; the service manager's watchdog, sd_notify(3), gets its messages meanwhile.
  private func sleep(until wake: Instant?) -> Set<WakeReason> {
    while true {
      let pulse = invocation.manager.pulse
      if pulse != nil { invocation.manager.notify(.alive) }
      let reasons = wakeUps.sleep(until: wake, atMost: pulse, or: signals, runs.map(\.program), surroundings)
      // Most files beside those of the configuration are none of its business.
      if let reasons, reasons != [.filesChanged] || !isUnchanged { return reasons }
    }
  }

  /// Starts the work that is due; returns when to check again.
  ///
  /// - Parameter isValid: whether the configuration is valid, if it was just read.
  /// - Throws: permanent errors.
  private mutating func decide(isUrgent: Bool, hasRead isValid: Bool? = nil) async throws -> Instant? {
    let now = invocation.clock.now()
    await session.giveSign(settings)
    let isCurrent = if let isValid { isValid } else if isUnchanged { true } else { await readConfiguration() }
    guard isCurrent else { return alarm(now + .minutes(1)) }
    var outlook = DueOutlook()
    // No event reports that a parent directory was moved or a file system unmounted.
    guard lock.isInPlace else { throw lostDirectory }
    if scheduler.mayStart(at: now) {
      do {
        outlook = try await session.work(settings, options, beside: runs.map(\.stage))
        if watchSurroundings(for: outlook) {
          outlook = try await session.work(settings, options, beside: runs.map(\.stage))
        }
        scheduler.succeed()
        if lastPollFailed { lastError.forget() }
        lastPollFailed = false
      } catch {
        lastPollFailed = true
        try recover(by: error)
      }
    }
    let step = scheduler.step(outlook, isUrgent: isUrgent, at: now)
    if step.startsRun {
      session.startRun()
      start()
    }
    report(next: step.wake)
    if !scheduler.isFetching, let look = session.nextLook(settings, at: now) { return alarm(look) }
    // No signal says that a command answers otherwise, or that the bus has restarted.
    let look = outlook.waiting == nil ? nil : now + Self.longestTimeBetweenLooks
    return alarm([step.wake, look].compactMap(\.self).min())
  }

  private var lostDirectory: ProgramFailure {
    .other(["\(settings.state): was removed or replaced; start this run --watch again"], .storage)
  }

  /// The longest time between two looks at the machine while something waits for a condition.
  private static let longestTimeBetweenLooks = Interval.minutes(5)

  /// Watches the machine while something waits for a condition; returns whether it was not watched until now, so that it may have
  /// changed after the look.
  private mutating func watchSurroundings(for outlook: DueOutlook) -> Bool {
    guard outlook.waiting != nil else {
      surroundings = nil
      return false
    }
    let isNew = surroundings == nil
    let watch = surroundings ?? SurroundingsWatch()
    surroundings = watch
    guard watch.subscribe() || isNew else { return false }
    invocation.surroundings.forget(keepingAnswers: true)
    return true
  }

  /// A moment to wake at; a frozen clock never reaches it.
  private func alarm(_ moment: Instant?) -> Instant? { invocation.clock.isFrozen ? nil : moment }

  /// Starts a run with the options of this process.
  private mutating func start() {
    do throws(StartFailure) {
      var environment = invocation.environment
      environment[Invocation.watchVariable] = settings.state
      let program = try ReportingProgram(
        Command(
          Machine.programPath,
          Machine.arguments.dropFirst().flatMap { $0 == "--watch" ? ["--cause", "watch"] : [$0] },
          environment: environment, directory: Machine.workingDirectory, limit: nil))
      runs.append(WatchedRun(program: program))
    } catch {
      say(["bgfetch: a run could not be started: \(startText(error))"])
      scheduler.endFetching()
      scheduler.fail(at: invocation.clock.now())
    }
  }

  /// Handles the reports of runs, and their ends; returns whether one has ended that was outdated.
  private mutating func hear() throws -> Bool {
    var hasOutdated = false
    for index in runs.indices.reversed() {
      let news = runs[index].program.news()
      for line in news.lines {
        switch line {
        case "fetched":
          runs[index].stage = .downloading
          scheduler.endFetching()
        case "downloaded": runs[index].stage = .delivering
        case Invocation.lostServer: runs[index].hasLostServer = true
        default: runs[index].errors.append(line)
        }
      }
      guard let ending = news.ending else { continue }
      let run = runs.remove(at: index)
      if run.stage == .fetching { scheduler.endFetching() }
      scheduler.endRun()
      reportsNext = true
      if run.isOutdated { hasOutdated = true }
      try conclude(run, ending)
    }
    return hasOutdated
  }

  private mutating func conclude(_ run: WatchedRun, _ ending: CommandEnding) throws {
    let isLost =
      switch ending {
      case .exited(let status): status == 1
      case .signalled(let signal): StopSignal(rawValue: signal) == nil
      default: true
      }
    guard isLost || !run.errors.isEmpty else {
      lastError.forget()
      return
    }
    // A leak of open files ends only with the process; a service manager then starts it again.
    try OpenFiles.makeRoom()
    say(
      run.errors.isEmpty ? ["bgfetch: a run has failed: \(endingText(ending))"] : run.errors,
      isOfServer: run.hasLostServer)
    scheduler.fail(at: invocation.clock.now(), mayPass: run.hasLostServer)
  }

  /// Passes a signal on to the runs, and waits for their ends, but no longer than a service manager does.
  private mutating func end(by signal: StopSignal) {
    invocation.manager.notify(.stopping)
    for run in runs { run.program.send(signal) }
    let end = ContinuousClock.now + .seconds(60)
    while !runs.isEmpty, ContinuousClock.now < end {
      _ = wakeUps.sleep(until: nil, atMost: end - .now, or: signals, runs.map(\.program))
      _ = signals.received()
      // It ends anyway, with the error or signal that it has.
      _ = try? hear()
    }
    for run in runs { run.program.kill() }
  }
}

extension Watch {
  /// Reads the configuration again, and reports an invalid one; returns whether it is valid.
  mutating func reload() async -> Bool {
    invocation.manager.notify(.reloading)
    lastError.forget()
    let isValid = await readConfiguration()
    if isValid, RunAudience(invocation.console) != .quiet {
      invocation.console.say("read the configuration again: \(counted(settings.feeds.count, "feed"))")
    }
    invocation.manager.notify(.ready)
    scheduler.startOver()
    return isValid
  }

  /// Whether the files of the configuration are as they were read, and those of its time zone.
  private var isUnchanged: Bool { (loaded.sources + zoneFiles).allSatisfy { FileStamp($0.path) == $0.stamp } }

  /// Reads the configuration, and reports why one cannot be used.
  private mutating func readConfiguration() async -> Bool {
    do {
      let read = try invocation.configurationToWatch()
      try read.settings.checkState(is: settings.state)
      if read.settings != settings {
        // The badge must not count items of removed feeds until the next run, which may be hours away.
        try await updateBadge(read.settings)
        for index in runs.indices { runs[index].isOutdated = true }
        scheduler.startOver()
        session.forgetSign()
      }
      loaded = read
      await session.close()
      recordSources()
      return true
    } catch {
      say(
        errorText(error).lines + [
          "bgfetch: the previous configuration stays in use for what is running; nothing else starts meanwhile"
        ])
      return false
    }
  }

  private func updateBadge(_ settings: Settings) async throws {
    let state = try await invocation.open(settings, for: .writing, within: session.patience(settings))
    _ = try await state.withCatalog().updateBadge()
    await state.store.close()
  }

  /// Remembers what depends on the configuration that was just read.
  private mutating func recordSources() {
    zoneFiles = SystemZone(environment: invocation.environment).files(named: settings.timezone).map {
      (path: $0, stamp: FileStamp($0))
    }
    wakeUps.watch(files: (loaded.sources + zoneFiles).map(\.path))
    options.dueFingerprint =
      settings.hasManyFeeds
      ? invocation.dueFingerprint(of: loaded, isPunctual: options.isWatch) : nil
  }

  /// Whether the terminal in which it was started was closed; SIGHUP then means that.
  private var hasLostTerminal: Bool {
    invocation.console.error.isTerminal && !Terminal(.error, environment: [:]).isTerminal
  }

  /// Reports an error and pauses for a while.
  ///
  /// - Throws: the error, if it is permanent.
  private mutating func recover(by error: any Error) throws {
    guard isTransient(error) else { throw error }
    try OpenFiles.makeRoom()
    let mayPass = (error as? StoreFailure)?.mayPass ?? false
    let hasLasted = scheduler.fail(at: invocation.clock.now(), mayPass: mayPass)
    if hasLasted { say(errorText(error).lines, isOfServer: mayPass) }
  }

  /// Reports an error, unless it is the same as the last one.
  private mutating func say(_ lines: [String], isOfServer: Bool = false) {
    guard lastError.isNews(lines, isOfServer: isOfServer) else { return }
    for line in lines { invocation.console.say(line, .error) }
  }

  /// Reports to the service manager and the terminal when something is due next, for example `watching 12 feeds; next at
  /// 2026-11-22 14:05:00`.
  private mutating func report(next wake: Instant?) {
    var parts = ["watching \(counted(settings.feeds.count, "feed"))"]
    if scheduler.isFetching { parts.append("fetching") }
    if runs.contains(where: { $0.stage == .downloading }) { parts.append("downloading") }
    if !scheduler.isFetching {
      let zone = (try? invocation.zone(settings)) ?? .utc
      parts.append(wake.map { "next at \($0.local(in: zone))" } ?? "nothing scheduled")
    }
    let text = parts.joined(separator: "; ")
    invocation.manager.notify(.status(text))
    guard reportsNext, runs.isEmpty else { return }
    reportsNext = false
    if invocation.isForPerson { invocation.console.say(text) }
  }
}

extension Settings {
  /// Throws an error if the state directory is not the one that a `run --watch` has locked.
  func checkState(is watched: String) throws(ProgramFailure) {
    guard state != watched else { return }
    throw .usage("the state directory is \(state) now; end this run --watch and start it again")
  }
}

/// Whether a later try may succeed without restarting this process.
private func isTransient(_ error: any Error) -> Bool {
  switch error {
  case StoreFailure.belongsTo, StoreFailure.newerSchema, StoreFailure.corrupt, StoreFailure.foreign: false
  default: true
  }
}
