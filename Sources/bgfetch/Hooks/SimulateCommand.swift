// `bgfetch simulate`: a run of one feed with a made-up response and real hooks, in a copy of the store.

public import ArgumentParser
public import Core
import Machine
import Running
import Store

struct SimulateCommand: ProgramCommand {
  static let heading = ("simulate", "Rehearse a fetch with a made-up result: real hooks, nothing stored")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The name of the feed.", completion: .feedNames)
  var feed: String

  @Option(help: "The made-up result.")
  var result: SimulatedResult

  @Option(help: ArgumentHelp("The number of fetches to simulate, one after the other.", valueName: "number"))
  var times = 1

  func validate() throws {
    guard (1...100).contains(times) else { throw ValidationError("--times takes a number from 1 to 100") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.simulate(feed, result, times: times)
  }
}

extension SimulatedResult: ExpressibleByArgument {}

extension Console {
  /// Prints lines of a simulated run, or the same as JSON.
  func printSimulated(json: [JSONValue], text: [String]) {
    guard !isJSON else { return json.forEach { print($0.adding(JSONValue(["simulated": true]))) } }
    for line in text.flatMap({ $0.split(separator: "\n") }) { print("simulated: " + line) }
  }
}

extension Invocation {
  /// Runs a feed with a made-up result; only its hooks have lasting effects.
  func simulate(_ word: String, _ result: SimulatedResult, times: Int) async throws -> ExitStatus {
    // A hook that runs `simulate` would run itself again.
    guard !isInHook else { throw ProgramFailure.runInHook }
    let state = try await openState(for: .reading)
    let feed = try feed(named: word, in: state.settings)
    let scratch = try ScratchDirectory(environment: environment)
    defer { scratch.remove() }
    let stops = try Signals.stops()
    // The run itself handles signals only once it has begun.
    let watch = Task(executorPreference: ProgramTasks.executor) {
      for await signal in stops {
        scratch.remove()
        ExitStatus.stopped(signal).end()
      }
    }
    defer { watch.cancel() }

    let simulation = Simulation(
      of: feed, try await state.store.states(of: [feed])[feed.name] ?? FeedState(), result: result,
      at: clock.now())
    let store = try await state.store.copyForSimulation(to: scratch.path, on: ActorThread())
    await state.store.close()
    let copy = OpenedState(self, try state.settings.moved(to: scratch, simulation.feed), store)
    try await copy.prepare(for: simulation)
    return try await copy.run(simulation, times: times)
  }
}

extension OpenedState {
  /// Records an earlier fetch of the feed, so that the simulated fetch is not its baseline.
  fileprivate func prepare(for simulation: Simulation) async throws {
    let now = clock.now()
    let record = FetchRecord(started: now, ended: now, result: .noData, reason: "simulated")
    let commit = FeedCommit(feed: simulation.feed.name, state: simulation.state, record: record)
    try await store.commit(commit, round: nil, nextDue: nil, configured: [simulation.feed.name])
  }

  fileprivate func run(_ simulation: Simulation, times: Int) async throws -> ExitStatus {
    var options = RunOptions()
    options.named = [simulation.feed.name]
    options.isForced = true
    let (report, stopped) = try await untilStopped {
      [settings, options, console, isFrozen = clock.isFrozen] effects in
      var report = RunReport()
      for number in 1...times where !Task.isCancelled {
        var options = options
        // Only the last fetch waits for postponed notifications. A frozen clock never reaches a later moment.
        options.waitsForDue = number == times && !isFrozen
        let effects = simulation.effects(of: effects, fetch: number) { event in
          console.printSimulated(
            json: runJSON(event), text: [runLine(event, for: .verbose)?.text].compactMap(\.self))
        }
        report = try await Running.run(settings, options, effects, RunLocks(fetching: HeldLock {}))
      }
      return report
    }
    let all: Set<DeliveryStatus> = [.pending, .running, .delivered, .dead, .expired, .dropped]
    let deliveries = try await store.deliveries(all, limit: 1000)
    await store.close()
    let (now, zone) = (clock.now(), try zone())
    let lines = waits(of: deliveries.reversed()).map { delivery, wait in
      "hook \(delivery.hook)  \(delivery.event.kind.rawValue), "
        + statusText(delivery, wait, now: now, in: zone)
        + (delivery.lastError.map { ": " + cleanText($0, limit: 500) } ?? "")
    }
    console.printSimulated(
      json: deliveries.reversed().map(deliveryJSON) + [summaryJSON(report)], text: lines + [report.summary()])
    return stopped.map(ExitStatus.stopped) ?? report.status
  }
}

extension Settings {
  /// The settings for a simulation of `feed`: every file that it may write is in the scratch directory.
  fileprivate func moved(to scratch: ScratchDirectory, _ feed: FeedSpec) throws -> Settings {
    var settings = self
    settings.state = scratch.path
    settings.server = nil
    settings.documents = scratch.path + "/documents"
    settings.bucket = nil
    let ownBadge = scratch.path + "/badge"
    settings.badge = ownBadge
    settings.outputs = []
    settings.freeSpace = ByteCount(0)
    settings.feeds = feeds.replacing(feed)
    // A badge counts as changed only if the simulated fetch changes it.
    if let badge, let number = try? readFile(badge, limit: ByteCount(64)) {
      try AtomicFile.replace(ownBadge, with: number, permissions: 0o600)
    }
    return settings
  }
}

extension Simulation {
  /// The effects of a run with a made-up network; hooks find BGFETCH_SIMULATED in their environment.
  fileprivate func effects(
    of real: Effects, fetch number: Int, report: @escaping @Sendable (RunEvent) -> Void
  ) -> Effects {
    var effects = real
    effects.report = report
    effects.machine.hasUsableRoute = { true }
    effects.network.access = { feed in feed.plainAccess.map { .success($0) } ?? .failure(.suspended) }
    effects.network.fetch = { response(to: $0, fetch: number) }
    effects.network.download = { request, receiver in
      let answer = response(to: request, fetch: number)
      if case .success(let response) = answer, response.status == 200 {
        var head = response
        head.body = []
        if receiver.begin(head) == .proceed { response.body.withUnsafeBytes { _ = receiver.receive($0) } }
      }
      return answer
    }
    // No other process uses the copy of the store.
    effects.tryLock = { _ in HeldLock {} }
    effects.coordination = Coordination(alone: { HeldLock {} })
    effects.hooks.run = { call in
      var call = call
      call.environment.append((name: "BGFETCH_SIMULATED", value: "1"))
      return await real.hooks.run(call)
    }
    return effects
  }
}
