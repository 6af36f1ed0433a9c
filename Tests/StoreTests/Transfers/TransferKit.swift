// Shared by the tests of transfers: a feed with items and transfers, and values with defaults.

import Testing

@testable import Core
@testable import Store

/// A suite whose tests each have a new world.
class TransferSuite {
  let world: TransferWorld
  var store: Store { world.store }

  init() async throws {
    world = try TransferWorld()
  }
}

/// A store with the feed `planet`.
struct TransferWorld {
  let directory: TemporaryDirectory
  let store: Store
  let planet: FeedName

  init() throws {
    directory = try TemporaryDirectory()
    store = try directory.open()
    planet = try name("planet")
  }

  /// Commits items with one wanted asset each, and returns their numbers.
  @discardableResult
  func commit(
    _ guids: [String], feed: FeedName? = nil, at time: Instant = now
  ) async throws -> [Int64] {
    let items = guids.map { item($0, title: "Title of \($0)", published: now - .days(1)) }
    let assets = guids.indices.map { found(.new($0), guids[$0]) }
    let commit = fetch(feed ?? planet, items, wanting: assets, at: time)
    return try #require(try await store.commit(commit, configured: [planet]))
  }

  /// Queues transfers of new items and returns them.
  func queued(_ guids: [String], feed: FeedName? = nil, at time: Instant = now) async throws -> [Transfer] {
    let items = try await commit(guids, feed: feed, at: time)
    return try await store.unsettled().filter { items.contains($0.item?.number ?? 0) }
  }

  /// Queues a transfer and starts it.
  func running(_ guid: String = "a") async throws -> Transfer {
    guard let transfer = try await queued([guid]).first,
      try await store.begin(transfer.number, in: "/documents")
    else { throw Problem("not begun") }
    return transfer
  }

  /// The present state of a transfer.
  func current(_ transfer: Transfer) async throws -> Transfer {
    guard var found = try await store.transfer(transfer.number) else { throw Problem("no such transfer") }
    // Each sign of life moves it.
    if found.heldUntil != nil { found.heldUntil = now }
    return found
  }

  /// Settles a transfer with its events; false if another process was first.
  @discardableResult
  func settle(
    _ transfer: Transfer, _ status: TransferStatus = .finished, file: PlacedFile? = nil,
    at time: Instant = now
  ) async throws -> Bool {
    try await store.holdFree(transfer.number)
    return try await store.end(
      settlement(transfer, status, file: file, at: time), round: nil, configured: [planet])
  }

  /// Settles a transfer without events.
  func settleInSilence(
    _ transfer: Transfer, _ status: TransferStatus = .finished, file: PlacedFile? = nil
  ) async throws {
    var end = settlement(transfer, status, file: file)
    end.events = []
    end.sessionFinished = { _ in [] }
    try await store.holdFree(transfer.number)
    _ = try await store.end(end, round: nil, configured: [])
  }

  /// The identifiers of the recorded events, in order.
  func told() async throws -> [String] {
    try await store.deliveries([.pending], hook: nil, limit: 1000).reversed().map(\.event.id)
  }
}

/// An asset of an item, named by it.
func found(_ item: FoundAsset.ItemReference, _ name: String, index: Int = 1) -> FoundAsset {
  FoundAsset(
    item: item,
    asset: Asset(url: "https://example.org/\(name).mp3", type: "audio/mpeg", length: 1000, index: index),
    description: "Title of \(name)")
}

/// The end of a transfer, with its event and its session's.
func settlement(
  _ transfer: Transfer, _ status: TransferStatus = .finished, file: PlacedFile? = nil, at time: Instant = now
) -> TransferEnd {
  let outcome: TransferOutcome =
    switch status {
    case .cancelled: .cancelled
    case .failed: .failed(reason: "because", needsCredentials: false)
    case .queued, .running, .suspended: .postponed(transfer, nil)
    case .finished: file.map { .placed($0, isResumed: false) } ?? .unchanged
    }
  var settlement = TransferEnd(transfer.number, outcome, ended: time, sessionFinished: finished)
  settlement.events = [
    event("\(status).\(transfer.number)", status == .finished ? .assetPlaced : .transferFailed, at: time)
  ]
  return settlement
}

extension Store {
  /// Holds a transfer that no process holds, as one does that has begun it.
  func holdFree(_ transfer: Int64) throws {
    try database.run(
      "UPDATE transfer SET held_by = ?2 WHERE number = ?1 AND held_by IS NULL AND settled IS NULL", transfer,
      neighbours?.holder)
  }

  /// Ends an attempt at a transfer, which waits for the next one; false if it is no longer running.
  @discardableResult
  func requeue(_ transfer: Transfer, _ requests: [RequestRecord] = []) async throws -> Bool {
    var end = TransferEnd(transfer.number, .postponed(transfer, nil), ended: now)
    end.requests = requests
    return try await self.end(end, round: nil, configured: [])
  }
}

/// The end of a session, with its totals in the event's identifier.
@Sendable func finished(_ totals: SessionTotals) -> [EventRecord] {
  [
    event(
      "session.\(totals.session): \(totals.finished)+\(totals.failed)+\(totals.cancelled)", .sessionFinished)
  ]
}

/// A placed file.
func file(_ name: String, at time: Instant = now) -> PlacedFile {
  PlacedFile(directory: "/documents", name: name, size: 1000, sha256: "00ff", placed: time)
}

/// A partial file of 1,000 bytes.
func partial(_ bytes: Int64) -> PartialDownload {
  var partial = PartialDownload()
  partial.bytes = bytes
  partial.total = 1000
  partial.entityTag = "\"1\""
  partial.lastModified = "Thu, 01 Jan 2026 00:00:00 GMT"
  partial.date = "Fri, 02 Jan 2026 00:00:00 GMT"
  partial.acceptsRanges = true
  partial.address = "https://cdn.example.org/a.mp3"
  return partial
}

/// An intent to place a file.
func intent(_ name: String) -> PlacementIntent {
  var intent = PlacementIntent(
    directory: "/documents", name: name, size: 1000, sha256: "00ff", modified: now - .days(1),
    identity: FileIdentity(device: .max, inode: 7))
  intent.replaces = true
  return intent
}
