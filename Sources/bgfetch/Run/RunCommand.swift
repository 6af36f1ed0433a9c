// `bgfetch run`, and `transfers run`: take the locks, run until the end or a signal, and report. RunText has the words.

public import ArgumentParser
public import Core
import Machine
import Running
import Store

struct RunCommand: ProgramCommand {
  static let heading = ("run", "Fetch what is due, and report what is new")

  @OptionGroup var common: CommonOptions
  @OptionGroup var report: ReportOptions

  @Argument(feeds: "Fetch these feeds now (name, glob or @tag).")
  var feeds: [String] = []

  @Flag(help: "With feeds: ignore rate limits and 410. Without: fetch all feeds.")
  var force = false

  @Flag(help: "Print what is due and why, and what keep would remove, then exit.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("Time limit for the whole run, including hooks.", valueName: "duration"),
    transform: readDuration)
  var budget: Interval?

  @Flag(help: ArgumentHelp("Run no hooks for the events of this run.", visibility: .hidden))
  var noHooks = false

  @Flag(help: "Do not download; leave that to another process or a later run.")
  var noTransfers = false

  @Flag(help: "If another run holds the lock, wait for it.")
  var wait = false

  @Option(help: ArgumentHelp("What started the run.", visibility: .hidden))
  var cause: RunCause?

  @Flag(help: "Keep running and fetch feeds as they become due; SIGHUP reloads the configuration.")
  var watch = false

  var amount: ReportAmount { report.amount }

  func validate() throws {
    if watch, !feeds.isEmpty || force || dryRun || wait || cause != nil {
      throw ValidationError("--watch can be combined only with --budget, --no-hooks and --no-transfers")
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    var options = RunOptions(try watch ? .watch : cause ?? invocation.cause())
    options.words = feeds
    options.isForced = force
    options.runsHooks = !noHooks
    options.timeLimit = budget
    options.runsTransfers = !noTransfers
    options.waits = options.waits || wait
    if watch { return try await invocation.watch(options) }
    if dryRun { return try await invocation.planRun(options) }
    // A command line that TimerCall reads has been looked at already.
    if !invocation.isInHook, invocation.isQuiet(options) { return .success }
    return try await invocation.reportingErrors { [options] in try await invocation.run(options) }
  }
}

extension RunCause: ExpressibleByArgument {
  // Parsing these values with ArgumentParser would cost each run more time than reading the store.

  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  public static var allValueDescriptions: [String: String] { [:] }
}

/// Reads a duration from the command line.
func readDuration(_ text: String) throws -> Interval {
  guard let interval = Interval(text: text) else {
    throw ValidationError("\"\(text)\" is not a duration; write 90s, 15m or 1h30m")
  }
  if let tooLong = tooLongText(interval) { throw ValidationError("\"\(text)\" \(tooLong)") }
  return interval
}

extension Invocation {
  /// The cause of this run: `BGFETCH_CAUSE`, or else manual with a terminal and timer without.
  func cause() throws -> RunCause {
    if let named = environment["BGFETCH_CAUSE"], !named.isEmpty {
      guard let cause = RunCause(rawValue: named) else {
        throw ProgramFailure.usage("BGFETCH_CAUSE is \"\(named)\"; write timer, push, manual or watch")
      }
      return cause
    }
    // cron and systemd provide no terminal; a person who pipes the output still has one on standard error.
    return console.error.isTerminal ? .manual : .timer
  }

  /// Whether a hook started this process; a run would then wait for the run of that hook, which waits for the hook.
  var isInHook: Bool { environment["BGFETCH_EVENT_ID"] != nil }

  /// Fetches and downloads, and reports the run.
  func run(_ order: RunOptions) async throws -> ExitStatus {
    guard !isInHook else { throw ProgramFailure.runInHook }
    var loaded = try configurationOfRun()
    try await requireFeeds(of: order, in: loaded.settings)
    try makeStateDirectory(loaded.settings)
    let limit = TimeLimit(order.timeLimit)
    guard let machineLocks = try await lockRun(order, loaded.settings, within: limit) else {
      if isForPerson { console.say("another run of this machine fetches what is due") }
      conclude(RunReport())
      return .success
    }
    let opened = try await open(loaded.settings, for: .writing, within: limit.rest ?? .seconds(30))
    guard try await opened.joinMachines(isOfTimer: order.cause == .timer) else { return .success }
    let state = try await opened.withCatalog()
    loaded.settings = state.settings
    var options = try runOptions(order, loaded)
    let locks = try await state.lockPlanning(machineLocks, within: limit)
    // A configuration under which all feeds were looked at has no new names.
    if try await !state.store.hasLooked(under: options.dueFingerprint) {
      try await state.followRenames(by: progressReporter(in: try zone(loaded.settings)))
    }
    // The time that --budget has left is for everything; it replaces the budget of the configuration, which is for fetching.
    if let rest = limit.rest {
      options.timeLimit = rest
      options.budget = rest
    }
    let (report, stopped) = try await state.untilStopped { [options] effects in
      try await Running.run(state.settings, options, effects, locks)
    }
    let ahead =
      stopped == nil && !reportsToWatch ? try? await state.lookAhead(loaded, options, after: report) : nil
    // Without a quiet note the next run is only slower.
    if let ahead { try? await state.writeNote(of: ahead) }
    await state.end(report, next: ahead.flatMap { nextLine($0.outlook, $0.context) })
    return stopped.map(ExitStatus.stopped) ?? report.status
  }

  /// Takes the locks of this machine for a run; nil if another run of this machine fetches what is due.
  private func lockRun(
    _ options: RunOptions, _ settings: Settings, within limit: TimeLimit
  ) async throws -> RunLocks? {
    guard settings.server == nil else { return try await lockSharedRun(options, settings, within: limit) }
    let lock = try await acquire(settings.runLock, waits: options.waits, within: limit)
    return RunLocks(fetching: HeldLock { lock.release() })
  }

  /// The options of a run.
  private func runOptions(_ order: RunOptions, _ loaded: LoadedConfiguration) throws -> RunOptions {
    var options = try order.selecting(from: loaded.settings)
    // A frozen clock never reaches a later moment, and run --watch starts a run at each moment.
    options.waitsForDue = !clock.isFrozen && !options.isWatch
    if loaded.settings.hasManyFeeds {
      options.dueFingerprint = dueFingerprint(of: loaded, isPunctual: options.isWatch)
    }
    return options
  }

  /// Fails if a word of the command line selects no feed, neither one of the files nor one of the catalog.
  private func requireFeeds(of order: RunOptions, in settings: Settings) async throws {
    guard (try? order.selecting(from: settings)) == nil else { return }
    _ = try order.selecting(from: try await openState(for: .reading).settings)
  }

  /// Prints what a run would do, and changes nothing.
  func planRun(_ order: RunOptions) async throws -> ExitStatus {
    let state = try await openState(for: .reading)
    let settings = state.settings
    let options = try order.selecting(from: settings)
    let pushed = try await state.store.waitingPushes().map(\.feed)
    let feeds =
      options.named.isEmpty ? settings.feeds.all : settings.feeds.named(options.named.union(pushed))
    let context = try await state.planningContext(of: feeds, options: options)
    let states = try await state.store.states(of: feeds)
    var plan = PlannedFeeds()
    let skipped = plan.add(feeds, states, context)
    plan.sort()
    let claimed = try await state.store.claimedHosts()
    var due: [(feed: FeedSpec, reason: String)] = plan.files.map { ($0.feed, "a push announces a file") }
    for feed in plan.due.compactMap({ settings.feeds[$0.name] }) {
      let decision = dueDecision(feed, states[feed.name] ?? FeedState(), context)
      due.append((feed, conclusion(decision, in: context.zone)))
    }
    for (feed, reason) in due {
      let isInUse = claimed.contains(feed.hostToAsk(states[feed.name] ?? FeedState()))
      let text = isInUse ? "\(reason); \(hostInUse)" : reason
      console.print(
        json: [JSONValue(["type": "plan", "feed": feed.name, "due": true, "reason": text])],
        text: ["\(feed.name)  \(text)"])
    }
    for feed in plan.skippedNamed { console.report(feed, as: "plan", in: context.zone) }
    // The downloads remove files.
    if options.runsTransfers { try await state.planRemovals() }
    if !console.isJSON {
      console.say("\(due.count) due, \(skipped.count) not due; nothing was fetched")
    }
    return .success
  }

  /// Takes a lock; throws `ProgramFailure.locked` if it is not free.
  func acquire(_ path: String, cure: String = "") throws -> FileLock {
    if let lock = try FileLock.tryAcquire(path, clock: clock) { return lock }
    throw ProgramFailure.locked(LockHolder(path), path: path, cure: cure)
  }

  /// Takes a lock within a time limit.
  ///
  /// - Throws: `ProgramFailure.locked` if the lock is not free in time.
  func acquire(_ path: String, waits: Bool, within limit: TimeLimit) async throws -> FileLock {
    guard waits else { return try acquire(path, cure: ", or use --wait") }
    let patience = limit.rest.map { Duration.seconds($0.seconds) }
    if let lock = try await FileLock.acquire(path, clock: clock, patience: patience) { return lock }
    return try acquire(path, cure: ", or wait longer with --budget")
  }

  /// Prints the summary.
  func conclude(_ report: RunReport) {
    if console.isJSON { console.print(summaryJSON(report)) }
    switch RunAudience(console) {
    case .terminal, .verbose: console.say(report.summary(isForPerson: console.error.isTerminal))
    case .journal:
      if report.hadWork { console.say(report.summary()) }
    case .quiet: break
    }
  }
}

extension OpenedState {
  /// Closes the store after a run, and reports the run with what comes next.
  fileprivate func end(_ report: RunReport, next: String?) async {
    let isOwnRun = !invocation.reportsToWatch
    let waiting = isOwnRun ? (try? await sessionLines()) ?? [] : []
    if isOwnRun { _ = try? await sayPause() }
    await store.close()
    // A run --watch that started this run notices its end.
    if isOwnRun { wakeWatch() }
    for line in waiting { console.say(line, .warning) }
    if report.hadWork || isOwnRun { invocation.conclude(report) }
    for line in [report.addedLine, next] { if let line, invocation.isForPerson { console.say(line) } }
  }

  /// Runs `work` until it ends or a signal cancels it, and reports its progress.
  func untilStopped(
    work: @escaping @Sendable (Effects) async throws -> RunReport
  ) async throws -> (RunReport, StopSignal?) {
    let report = invocation.progressReporter(in: try zone())
    let stops = try Signals.stops()
    let task = Task(executorPreference: ProgramTasks.executor) {
      try await withEffects(report: report, work)
    }
    let watch = Task(executorPreference: ProgramTasks.executor) { () -> StopSignal? in
      for await signal in stops {
        task.cancel()
        return signal
      }
      return nil
    }
    let outcome = await task.result
    watch.cancel()
    let stopped = await watch.value
    console.progress.end()
    return (try outcome.get(), stopped)
  }

  /// Prints the files that `keep` would remove.
  fileprivate func planRemovals() async throws {
    try await withEffects { effects in
      let moment = try await effects.clockTrust().ageMoment(clock.now())
      for feed in settings.feeds {
        guard let keep = feed.download?.keep, !keep.keepsAll else { continue }
        let files = try await effects.existingFiles(of: feed, settings)
        for placed in filesToRemove(files, keep: keep, at: moment) {
          console.print(
            json: [JSONValue(["type": "removal", "feed": feed.name, "path": placed.file.path])],
            text: ["\(feed.name)  keep would remove \(shownPath(placed.file.path))"])
        }
      }
    }
  }
}

/// The time limit of a command, which begins when it is made.
struct TimeLimit: Sendable {
  private let limit: Interval?
  private let began = ContinuousClock.now

  /// - Parameter limit: nil for none.
  init(_ limit: Interval?) { self.limit = limit }

  private var elapsed: Interval { .seconds((ContinuousClock.now - began).components.seconds) }

  /// The rest of it, at least a second; nil if there is no limit.
  var rest: Interval? { limit.map { max(.seconds(1), $0 - elapsed) } }

  var isOver: Bool { limit.map { elapsed >= $0 } ?? false }
}

extension Settings {
  /// Whether it is quicker to look only at feeds that may be due than at all feeds.
  var hasManyFeeds: Bool { feeds.haveCatalog || feeds.ofFiles.count >= 500 }

  /// The file that commands touch to wake a `run --watch`.
  var wakeFile: String { state + "/wake" }
}

extension Invocation {
  /// Downloads queued files and reports progress.
  func runTransfers(_ order: RunOptions) async throws -> ExitStatus {
    guard !isInHook else { throw ProgramFailure.runInHook }
    let settings = try configurationOfRun().settings
    try makeStateDirectory(settings)
    let limit = TimeLimit(order.timeLimit)
    let lock = try await acquire(settings.transferLock, waits: order.waits, within: limit)
    let opened = try await open(settings, for: .writing)
    if try await opened.sayPause() { return .success }
    let state = try await opened.withCatalog()
    var options = try order.selecting(from: state.settings)
    options.waitsForDue = !clock.isFrozen
    options.timeLimit = limit.rest
    let (report, stopped) = try await state.untilStopped { [options] effects in
      // The downloads take the lock themselves, as in a run.
      lock.release()
      return try await Running.runTransfers(state.settings, options, effects)
    }
    await state.store.close()
    state.wakeWatch()
    conclude(report)
    return stopped.map(ExitStatus.stopped) ?? report.status
  }
}

// MARK: Runs of run --watch

extension Invocation {
  /// The variable with the state directory of the `run --watch` that has started this process.
  static let watchVariable = "BGFETCH_WATCH"

  /// The line before the error of a run that could not use the server of the state for some time.
  static let lostServer = "lost server"

  /// Reports the end of the fetch or of the downloads, or an error, to the `run --watch` that started this process, if one did.
  func report(toWatch line: String) {
    if reportsToWatch { ReportingProgram.report(line) }
  }

  /// Leaves an error to the `run --watch` that started this process, which reports it once.
  func reportingErrors(_ work: () async throws -> ExitStatus) async throws -> ExitStatus {
    guard reportsToWatch else { return try await work() }
    do {
      return try await work()
    } catch {
      let (lines, status) = errorText(error)
      if (error as? StoreFailure)?.mayPass == true { report(toWatch: Self.lostServer) }
      for line in lines { report(toWatch: line) }
      return status
    }
  }
}
