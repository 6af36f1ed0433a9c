// The session of `run --watch` with the server of machines that share a state: it looks there for work only when somebody has changed
// something, and gives signs of life.

import Core
import Fleet
import Machine
import Running
import Store

/// The session of a `run --watch` with the server of a state; nothing on a machine that has its state for itself.
struct WatchSession {
  private let invocation: Invocation
  /// Nil until the next look makes one.
  private var session: OpenedState?
  /// The last look.
  private var last: Look?
  /// Whether it has freed the work of dead machines that a run may take over, and none has started since.
  private var hasFreed = false
  /// When it last gave a sign of life to the other machines.
  private var lastSign: ContinuousClock.Instant?

  private struct Look {
    /// The version of the data, and the stages of the runs under way, for which it holds.
    var version: Int
    var stages: [WatchedRun.Stage]
    /// When time changes the outlook, by the clock of the server.
    var end: Instant
    var outlook: DueOutlook
  }

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// Ends the session; the next look makes a new one.
  mutating func close() async {
    await session?.store.close()
    session = nil
    last = nil
  }

  /// How long to wait for a store that opens: this process has to hear signals, and tries a server once.
  func patience(_ settings: Settings) -> Interval { settings.server == nil ? .seconds(30) : .zero }

  /// A run starts, which takes over what dead machines have left.
  mutating func startRun() { hasFreed = false }

  /// The next sign of life comes at once, with a changed configuration.
  mutating func forgetSign() { lastSign = nil }

  /// The moment of the next look, because others change a shared state, and the clock of its server counts; nil without a server.
  func nextLook(_ settings: Settings, at now: Instant) -> Instant? {
    settings.server.map { _ in now + .seconds(1) }
  }

  /// The work that is due now, and the moments of later work.
  ///
  /// - Parameter stages: those of the runs under way, which download and deliver.
  mutating func work(
    _ settings: Settings, _ options: RunOptions, beside stages: [WatchedRun.Stage]
  ) async throws -> DueOutlook {
    guard settings.server != nil else { return try await invocation.work(settings, options, beside: stages) }
    do {
      return try await work(options, try await server(settings), beside: stages)
    } catch {
      await close()
      throw error
    }
  }

  /// Gives a sign of life to the other machines, now and then, also while nothing may start; the next look has the error, if there
  /// is one.
  mutating func giveSign(_ settings: Settings) async {
    let period = SeenMachine.watchPeriod
    let isTime = lastSign.map { $0.duration(to: .now) >= .seconds(period.seconds) } ?? true
    guard settings.server != nil, isTime else { return }
    lastSign = .now
    do {
      try await server(settings).giveSign(every: period)
    } catch {
      await close()
    }
  }

  /// The session, for one try to connect.
  private mutating func server(_ settings: Settings) async throws -> OpenedState {
    if let session { return session }
    // No standby, where no run could work.
    let state = try await invocation.open(settings, for: .writing, within: patience(settings))
    try await state.store.requireQuickAnswers()
    try await state.store.riskCommits()
    session = state
    return state
  }

  /// The work of all machines: what the last look found, as long as nobody has changed anything, and nothing waits for a condition
  /// of this machine.
  private mutating func work(
    _ options: RunOptions, _ state: OpenedState, beside stages: [WatchedRun.Stage]
  ) async throws -> DueOutlook {
    let store = state.store
    let (version, time, isAbandoned) = try await store.pulse()
    if let last, !isAbandoned, !hasFreed, last.outlook.waiting == nil, last.version == version,
      last.stages == stages,
      time < last.end
    {
      return last.outlook
    }
    // This session is old enough to judge who is dead. Runs under way do not look for what it frees.
    if isAbandoned {
      try await store.freeAbandoned(at: time)
      hasFreed = true
    }
    var outlook = try await state.work(options, beside: hasFreed ? [] : stages)
    try await store.recordWaiting(outlook.beginningToWait, since: time)
    let ends = [outlook.next?.at, outlook.later, time + .minutes(5)]
    last = Look(
      version: version, stages: stages, end: ends.compactMap(\.self).min() ?? time, outlook: outlook)
    if hasFreed {
      outlook.addAbandoned()
      hasFreed = outlook.due.contains(.abandoned)
      // A run that could do nothing for it before may now.
      last = nil
    }
    return outlook
  }
}
