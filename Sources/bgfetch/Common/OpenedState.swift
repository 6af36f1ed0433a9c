// Opening the store for a command, and what every command reads from it: states, the input of planning, and what is due next.

import Core
import Machine
import Running
import Store

extension Store {
  /// Opens the store of a state directory on a thread of its own.
  ///
  /// - Parameter patience: how long to wait for another process that creates or recovers it.
  static func opened(
    _ directory: String, for mode: StoreMode, patience: Interval = .seconds(30)
  ) async throws -> Store {
    let thread = try ActorThread()
    return try await thread.run {
      try Store.open(directory, mode: mode, on: thread, patience: patience)
    }
  }

  /// Refuses a state directory, or files of the store, that another user may have put there.
  static func requireSafety(of directory: String, isOnlyRead: Bool = false) throws(FileFailure) {
    try FileSafety.requireStore(directory, named: Store.fileName, isOnlyRead: isOnlyRead)
  }

  /// The file of the store of a directory.
  static func file(in directory: String) -> String { directory + "/" + Store.fileName }

  /// Whether there may be a store: in a database, or in a directory.
  static func exists(for settings: Settings) -> Bool { settings.server != nil || exists(in: settings.state) }

  /// Whether there is a store in a directory; false if that cannot be seen.
  static func exists(in directory: String) -> Bool { fileIdentity(file(in: directory)) != nil }
}

extension Invocation {
  /// Creates the state directory, readable by this user only.
  func makeStateDirectory(_ settings: Settings) throws {
    do throws(FileFailure) {
      try makePrivateDirectory(settings.state)
      try Store.requireSafety(of: settings.state)
    } catch {
      throw stateFailure(error, settings)
    }
  }

  /// Opens the state of a configuration; reading takes no lock, and a missing store counts as empty.
  ///
  /// - Parameter limit: how long to wait for another process that creates or recovers the store, or for a server that starts or is
  ///   not yet promoted; to read does not wait for a server.
  func open(
    _ settings: Settings, for mode: StoreMode, within limit: Interval = .seconds(30)
  ) async throws -> OpenedState {
    if mode == .reading {
      let isForeign = isServiceStateReadByRoot(settings)
      try restating(Store.requireSafety(of: settings.state, isOnlyRead: isForeign)) { (error: FileFailure) in
        stateFailure(error, settings)
      }
    } else {
      try makeStateDirectory(settings)
    }
    let store: Store
    if let server = settings.server {
      guard mode == .reading || !clock.isFrozen else { throw ProgramFailure.sharedClock }
      store = try await connectedStore(server, settings, for: mode, within: limit)
    } else {
      store = try await Store.opened(settings.state, for: mode, patience: limit)
    }
    if (try? await store.isEmpty()) == true { await warnOfOtherState(settings) }
    let state = OpenedState(self, settings, store)
    // Each machine may have its configuration at a path of its own.
    if mode != .reading, settings.server == nil { try await state.bind() }
    return state
  }

  /// Reads the configuration with the feeds of the catalog, and opens the store.
  ///
  /// - Parameter lock: the run lock, if the caller has it.
  func openState(for mode: StoreMode, holding lock: FileLock? = nil) async throws -> OpenedState {
    let state = try await openStateOfFiles(for: mode).withCatalog()
    try await state.followRenames(mode, holding: lock)
    return state
  }

  /// Reads the configuration without the catalog, and opens the store; if its content is only shown, a store of another
  /// configuration is a warning.
  func openStateOfFiles(for mode: StoreMode) async throws -> OpenedState {
    let state = try await open(try configuration().settings, for: mode)
    if mode == .reading, let owner = await state.otherOwner() { console.say("warning: " + owner, .warning) }
    return state
  }
}

/// The configuration and the opened store: most commands work with both.
///
/// The feeds of the catalog are among those of the configuration, if `openState` or `withCatalog` made it.
struct OpenedState: Sendable {
  let invocation: Invocation
  let settings: Settings
  let store: Store

  init(_ invocation: Invocation, _ settings: Settings, _ store: Store) {
    (self.invocation, self.settings, self.store) = (invocation, settings, store)
  }

  var console: Console { invocation.console }
  var clock: WallClock { invocation.clock }

  func zone() throws -> Zone { try invocation.zone(settings) }

  /// Wakes a `run --watch`, which looks for work then.
  func wakeWatch() { WakeFile.touch(settings.wakeFile) }

  /// Makes this configuration the owner of a store that has none, or whose configuration file was moved or renamed.
  fileprivate func bind() async throws {
    do {
      try await store.bind(toConfiguration: settings.path, insteadOf: nil)
    } catch StoreFailure.belongsTo(let former, let path) where fileIdentity(former) == nil {
      try await store.bind(toConfiguration: settings.path, insteadOf: former)
      console.say(
        "warning: \(path) belonged to the configuration \(former), which is gone; it now belongs to this one",
        .warning)
    }
  }

  /// The warning that another existing configuration owns the store, so that no run can use it; nil if none does.
  func otherOwner() async -> String? {
    guard settings.server == nil else { return await disagreement() }
    do {
      try await store.verify(configuration: settings.path)
      return nil
    } catch StoreFailure.belongsTo(let former, _) where fileIdentity(former) == nil {
      return nil
    } catch {
      return (error as? StoreFailure).map(storeText)
    }
  }

  /// This state, which has the configuration as it was read from files, with the feeds of the catalog.
  func withCatalog() async throws -> OpenedState {
    // Root may look at the state of a service, and leaves nothing there.
    let copy =
      invocation.isServiceStateReadByRoot(settings)
      ? "\(invocation.directories.cache)/bgfetch/catalog-\(store.mark).db" : settings.state + "/catalog.db"
    if settings.server != nil {
      try makePrivateDirectory(around: copy)
      try FileSafety.require(copy)
    }
    guard let catalog = try await store.catalog(copy: copy, at: clock.now()) else { return self }
    var settings = settings
    settings.feeds = settings.feeds.joined(with: catalog, settings.catalog)
    return OpenedState(invocation, settings, store)
  }

  /// The input of planning these feeds, besides their states; for planning `ahead` of the next fetch, too.
  func planningContext(
    of feeds: [FeedSpec], options: RunOptions = RunOptions(), ahead: Bool = false
  ) async throws -> PlanningContext {
    let waiting = try await store.waitingPushes()
    let now = try await storeTime()
    let machine = invocation.machineEffects(zone: try zone(), identity: settings.sharedIdentity)
    let context = Running.planningContext(
      options, machine, hosts: try await store.hostStates(), at: now,
      pushes: try await store.demands(of: waiting, for: settings.feeds.named(waiting.map(\.feed)), at: now),
      learned: ahead ? try await store.learned(for: feeds) : try await store.habits(for: feeds))
    let asking = feeds.filter { !($0.conditions?.command.isEmpty ?? true) }
    if !asking.isEmpty {
      await machine.ask(commandsToAsk(asking, try await store.states(of: asking), context), nil)
    }
    return context
  }

  /// Updates the badge file, runs the hooks for it, and returns the number; nil if no badge is kept.
  func updateBadge() async throws -> Int? {
    try await withEffects { try await refreshBadge(settings, $0) }
  }

  /// The feeds that are due, and the next of the others, with the input of planning.
  ///
  /// With the fingerprint of the options it reads only the feeds that may be due soon or that pushes wait for.
  func outlook(_ options: RunOptions) async throws -> (DueOutlook, PlanningContext) {
    let context = try await planningContext(of: [], options: options)
    let machine = invocation.machineEffects(zone: context.zone)
    // Neighbours fetch the feeds of the hosts that they have claimed.
    let claimed = try await store.claimedHosts()
    var outlook = DueOutlook()
    let names = try await feedsThatMayBeDue(
      options, Set(context.pushes.keys), store, at: context.now, within: settings.roundLimit)
    if names != nil {
      outlook = DueOutlook(next: try await store.nextDue(after: context.now + DueDecision.longestWait))
    }
    for part in settings.feeds.parts(of: names) {
      let states = try await store.states(of: part)
      let feeds =
        claimed.isEmpty
        ? part : part.filter { !claimed.contains($0.hostToAsk(states[$0.name] ?? FeedState())) }
      let adapted = context.adapting(to: try await store.habits(for: feeds))
      await machine.ask(commandsToAsk(feeds, states, adapted), nil)
      outlook.add(feeds, states, adapted)
    }
    return (outlook, context)
  }
}
