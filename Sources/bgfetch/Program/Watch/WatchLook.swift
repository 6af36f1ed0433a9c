// What a run that stays finds in the store when it looks around.

import Core
import Host
import StateStore
import Sync

extension Invocation {
  /// What there is to do, and when there will be something.
  ///
  /// The store is opened for it and closed again: between two looks it may be replaced, and nothing is kept of it.
  ///
  /// - Parameters:
  ///   - settings: the configuration.
  ///   - options: what the cycles are asked to do.
  ///   - countsDeliveries: whether deliveries whose time has come count; not while a cycle hands them over.
  /// - Returns: the outlook.
  /// - Throws: what the store throws.
  func outlook(
    _ settings: Settings, _ options: RunOptions, countsDeliveries: Bool
  ) async throws -> WatchOutlook {
    let store = try await openStore(settings, for: .reading)
    let context = try await planningContext(settings, store, options: options)
    var outlook = watchOutlook(settings.feeds, try await states(settings, store), context)
    if options.runsHooks {
      let hooks = Set(settings.hooks.map(\.name))
      let waiting = try await store.hooksWithWork(at: context.now)
      if countsDeliveries, !hooks.isDisjoint(with: waiting) { outlook.due.insert(.deliveries) }
      outlook.deliveries = try await store.nextDeliveryMoment(after: context.now, hooks: hooks)
    }
    if options.transfers { outlook.transfers = try await store.nextTransferMoment(at: context.now) }
    await store.close()
    return outlook
  }
}
