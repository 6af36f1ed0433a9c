// The real effects of a run, assembled from the modules that reach the world.

import Core
import Machine
import Running
import Store
import Synchronization

/// The real effects of a run, and the threads behind them.
struct LiveWorld: Sendable {
  let state: OpenedState
  /// The time zone of cron expressions.
  let zone: Zone
  /// Fetches feeds.
  let fetches: CurlLoop
  /// Downloads, over connections and a thread of its own, so that neither a long file nor a slow disk delays a feed.
  let downloads: CurlLoop
  /// Uploads to the bucket of `documents`, and posts to webhooks, which take no connection from feeds.
  let uploads: CurlLoop
  /// Directories and buckets for downloads.
  private let places: DocumentPlaces
  /// The environment of hooks and commands: without the variables that hold secrets.
  let openEnvironment: [String: String]

  init(_ state: OpenedState) throws {
    self.state = state
    zone = try state.zone()
    let network = state.settings.network
    // Each request has its own limit of connections to its host.
    let idle = try OpenFiles.room(forIdleBeside: network.connections)
    fetches = .ofProcess(connections: network.connections, idleConnections: idle)
    downloads = .ofProcess(connections: network.connections, rateLimit: network.rateLimit)
    uploads = .ofProcess(connections: DocumentPlaces.connections)
    places = DocumentPlaces(state, uploads)
    openEnvironment = state.invocation.openEnvironment(state.settings)
  }

  /// The effects of a run; `report` receives its progress.
  func effects(report: @escaping @Sendable (RunEvent) -> Void) -> Effects {
    Effects(
      machine: state.invocation.machineEffects(zone: zone, identity: state.settings.sharedIdentity),
      store: state.store,
      network: networkEffects,
      hooks: hookEffects,
      documents: { places.documents($0) },
      tryLock: { try tryLock($0) }, report: report,
      coordination: Coordination(alone: { try tryLock(.run) }))
  }

  private func tryLock(_ name: LockName) throws -> HeldLock? {
    try FileLock.tryAcquire(state.settings.path(of: name), clock: state.clock).map {
      HeldLock(release: $0.release)
    }
  }

  /// Ends the threads that fetch and download.
  func shutDown() {
    fetches.shutdown()
    downloads.shutdown()
    uploads.shutdown()
  }
}

extension CurlLoop {
  /// A loop with the proxies and addresses of this process.
  static func ofProcess(
    connections: Int, idleConnections: Int = 0, rateLimit: ByteCount? = nil
  ) -> CurlLoop {
    CurlLoop(
      connections: connections, idleConnections: idleConnections, proxies: .ofProcess(),
      ownAddresses: { Machine.addresses() }, rateLimit: rateLimit)
  }
}

extension LockName {
  /// The name of its file without the end.
  var text: String {
    switch self {
    case .run: "run"
    case .fetching: "fetch"
    case .transfers: "transfer"
    case .queue: "queue"
    case .hook(let hook): "hook-\(hook)"
    }
  }
}

extension Settings {
  func path(of lock: LockName) -> String { state + "/\(lock.text).lock" }

  /// The identity of all machines that share the state: a moment that one of them records holds for the others.
  var sharedIdentity: String? { server?.connection }

  var runLock: String { path(of: .run) }
  var transferLock: String { path(of: .transfers) }
}

extension OpenedState {
  /// Runs `work` with the real effects of a run, and ends their threads.
  func withEffects<Output: Sendable>(
    report: @escaping @Sendable (RunEvent) -> Void = { _ in },
    _ work: (Effects) async throws -> Output
  ) async throws -> Output {
    var invocation = invocation
    invocation.clock = try await storeClock()
    let world = try LiveWorld(OpenedState(invocation, settings, store))
    defer { world.shutDown() }
    return try await withNeighbours(world.effects(report: report), work)
  }
}

extension Invocation {
  /// The machine with its clock.
  ///
  /// - Parameter identity: what jitter depends on; nil for the machine's.
  func machineEffects(zone: Zone, identity: String? = nil) -> MachineEffects {
    let clock = clock
    var machine = MachineEffects(
      now: { clock.now() }, timestamp: { clock.timestamp() },
      milliseconds: { WallClock.monotonicMilliseconds() },
      sleep: { until in
        let left = until - WallClock.monotonicMilliseconds()
        // After a cancelled sleep the run looks at the clock again.
        if left > 0 { try? await WallClock.sleep(for: .milliseconds(left)) }
      }, zone: zone, identity: identity ?? Machine.identity(), hasUsableRoute: { Machine.hasUsableRoute() })
    machine.surroundings = { [surroundings] in surroundings.look(for: $0) }
    machine.ask = { [surroundings, environment, home] commands, left in
      let limit = min(left ?? SurroundingsReader.patience, SurroundingsReader.patience)
      await surroundings.ask(commands, within: limit, environment: environment, directory: home) { ending in
        ending == .timedOut ? "took longer than \(limit.text)" : endingText(ending)
      }
    }
    machine.process = Machine.processIdentifier
    machine.aside = { until, work in
      let limit = until == .max ? nil : Duration.milliseconds(until - WallClock.monotonicMilliseconds())
      return await workAside(atMost: limit, patience: readingPatience, work) != nil
    }
    return machine
  }
}
