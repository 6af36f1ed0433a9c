// What commands ask of the store about transfers; nothing else in this program names the store's methods for them.

import Host
import Model
import StateStore
import Sync
import Timing

extension Invocation {
  /// The transfers that words select, all of them for none, in the order in which they were queued: unsettled ones first.
  func transfers(_ words: TransferWords, _ settings: Settings, _ store: Store) async throws -> [Transfer] {
    let all = try await store.listedTransfers()
    let selected = try words.selected(from: all, feeds: settings.feeds)
    return selected.filter { !$0.status.isSettled } + selected.filter(\.status.isSettled)
  }

  /// Does something to transfers, tells the hooks that hear of it, and gives those that it was done to, as they are now.
  ///
  /// One that a run has brought further meanwhile is left as it is.
  func change(
    _ transfers: [Transfer], by change: TransferChange, _ settings: Settings, _ store: Store
  ) async throws -> [Transfer] {
    let now = clock.now()
    let numbers = transfers.map(\.number)
    let changed =
      switch change {
      case .retry: try await store.retryTransfersStub(numbers, at: now)
      case .suspend: try await store.suspendTransfersStub(numbers, at: now)
      case .resume: try await store.resumeTransfersStub(numbers, at: now)
      case .cancel: try await store.cancelTransfersStub(numbers, at: now)
      }
    if !changed.isEmpty { try await tellHooks(settings, store) }
    return try await store.listedTransfers().filter { changed.contains($0.number) }
  }

  /// Queues assets of known items of a feed: those of the newest items that have any, or of the items with these ids.
  func addTransfers(
    of feed: FeedSpec, latest: Int?, items: [String], _ store: Store
  ) async throws -> [Transfer] {
    []
  }

  /// Hands over what waits for hooks after sessions were settled or opened outside of a run.
  private func tellHooks(_ settings: Settings, _ store: Store) async throws {
    let world = LiveWorld(invocation: self, settings: settings, store: store, zone: try zone(settings))
    _ = try await refreshBadge(settings, world.effects { _ in })
  }
}

extension Store {
  fileprivate func listedTransfers() throws -> [Transfer] { [] }
  fileprivate func retryTransfersStub(_ numbers: [Int64], at now: Instant) throws -> Set<Int64> { [] }
  fileprivate func suspendTransfersStub(_ numbers: [Int64], at now: Instant) throws -> Set<Int64> { [] }
  fileprivate func resumeTransfersStub(_ numbers: [Int64], at now: Instant) throws -> Set<Int64> { [] }
  fileprivate func cancelTransfersStub(_ numbers: [Int64], at now: Instant) throws -> Set<Int64> { [] }
}
