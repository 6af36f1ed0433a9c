// Opening the store for a command, and what commands read from it.

import Core
import Host
import Sync

extension Invocation {
  /// Makes the state directory, which nobody else may look into.
  func makeStateDirectory(_ settings: Settings) throws {
    do throws(FileFailure) {
      try makePrivateDirectory(settings.state)
    } catch {
      throw ProgramFailure.file(error, purpose: "the state directory")
    }
    try trustState(settings)
  }

  /// Refuses a state directory, or files of the store, that somebody else may have put there.
  private func trustState(_ settings: Settings) throws {
    do throws(FileFailure) {
      try LiveStore.requireSafety(of: settings.state)
    } catch {
      throw ProgramFailure.file(error, purpose: "the state directory")
    }
  }

  /// Opens the store; a reading command takes no lock and finds an empty store where there is none.
  func openStore(_ settings: Settings, for mode: StoreMode) async throws -> any CommandStore {
    try mode == .reading ? trustState(settings) : makeStateDirectory(settings)
    let store = try LiveStore.open(settings.state, for: mode)
    if mode != .reading { try await bind(store, settings) }
    return store
  }

  /// Opens the store for a command that shows what is in it, and warns where that is of another configuration.
  func openStoreToShow(_ settings: Settings) async throws -> any CommandStore {
    let store = try await openStore(settings, for: .reading)
    if let owner = await otherOwner(settings, store) { console.say("warning: " + owner, .warning) }
    return store
  }

  /// Makes a store this configuration's: one that is nobody's, and one of a configuration that is not there any more,
  /// which was moved or renamed.
  private func bind(_ store: any CommandStore, _ settings: Settings) async throws {
    do throws(StoreFailure) {
      try await store.bind(toConfiguration: settings.path)
    } catch {
      guard case .belongsTo(let former, let path) = error, fileIdentity(former) == nil else { throw error }
      try await store.bind(toConfiguration: settings.path, insteadOf: former)
      console.say(
        "warning: \(path) was that of the configuration \(former), which is gone; from now on it is this one's",
        .warning)
    }
  }

  /// Says whose the store is where it is that of another configuration that is there: no run works with it under this
  /// one.
  func otherOwner(_ settings: Settings, _ store: any CommandStore) async -> String? {
    do throws(StoreFailure) {
      try await store.verify(configuration: settings.path)
      return nil
    } catch {
      if case .belongsTo(let former, _) = error, fileIdentity(former) == nil { return nil }
      return storeText(error)
    }
  }

  /// What is remembered of each feed, less what its edited configuration made void.
  func states(_ settings: Settings, _ store: any CommandStore) async throws -> [FeedName: FeedState] {
    statesToday(settings, try await store.feedStates())
  }

  /// Everything planning needs to know besides feeds and their states.
  func planningContext(_ settings: Settings, _ store: any CommandStore, options: RunOptions) async throws
    -> PlanningContext
  {
    let adapting = settings.feeds.filter(\.adaptsToHabits).map(\.name)
    let longest = settings.feeds.map(\.push.limit.interval).max() ?? .zero
    let waiting = try await store.waitingPushes()
    return Sync.planningContext(
      settings, options, machineEffects(zone: try zone(settings)), hosts: try await store.hostStates(),
      at: clock.now(),
      pushes: pushDemands(
        waiting, fetches: waiting.isEmpty ? [:] : try await store.pushFetches(since: clock.now() - longest)),
      habits: adapting.isEmpty ? [:] : try await store.habits(of: adapting))
  }

  /// Brings the badge file up to date, tells the hooks that hear of it, and gives the number.
  func updateBadge(_ settings: Settings, _ store: any CommandStore) async throws -> Int {
    let world = LiveWorld(invocation: self, settings: settings, store: store, zone: try zone(settings))
    return try await refreshBadge(settings, world.effects { _ in })
  }
}
