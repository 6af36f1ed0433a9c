// The pushes that a round of a run takes along.

import Core

/// The pushes that waited when a round was planned.
struct RoundPushes: Sendable {
  /// What they ask for, by feed.
  var demands: [FeedName: PushDemand] = [:]
  /// The feeds that are due because of them.
  var caused: Set<FeedName> = []

  /// Those of a feed whose time has come, which ride along with its fetch, whatever it is due for.
  func ready(_ feed: FeedName, at now: Instant) -> [StoredPush] { demands[feed]?.ready(at: now) ?? [] }
}

/// What waits in the store, and how it stands with the feeds; a push of a paused feed is dropped.
///
/// - Parameters:
///   - settings: the configuration.
///   - states: what is remembered of every feed.
///   - store: the store.
///   - now: the present moment.
/// - Returns: what is asked for, by feed; of feeds that are not configured nothing.
/// - Throws: what the store throws.
func waitingDemands(
  _ settings: Settings, _ states: [FeedName: FeedState], _ store: StoreEffects, at now: Instant
) async throws -> [FeedName: PushDemand] {
  let waiting = try await store.pushes()
  guard !waiting.isEmpty else { return [:] }
  let names = Set(waiting.map(\.feed))
  let feeds = settings.feeds.filter { names.contains($0.name) }
  let paused = Set(feeds.map(\.name).filter { states[$0]?.pause?.holds(at: now) ?? false })
  let ignored = waiting.filter { paused.contains($0.feed) }
  if !ignored.isEmpty { try await store.dropPushes(ignored.map(\.number)) }
  let configured = Set(feeds.map(\.name)).subtracting(paused)
  let longest = feeds.map(\.push.limit.interval).max() ?? .zero
  return pushDemands(
    waiting.filter { configured.contains($0.feed) }, fetches: try await store.pushFetches(now - longest))
}
