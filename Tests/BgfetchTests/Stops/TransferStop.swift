// The effects of transfers, counted and ended by an EffectStop; an effect that only reads is not counted.

import Core
import Sync

extension StoppingStore {
  func begin(_ transfer: Int64, in directory: String) async throws -> Bool {
    try await stop.effect { try await store.begin(transfer, in: directory) }
  }

  func checkpoint(_ transfer: Int64, _ partial: PartialDownload, isProgress: Bool) async throws -> Bool {
    try await stop.effect { try await store.checkpoint(transfer, partial, isProgress: isProgress) }
  }

  func intend(_ transfer: Int64, _ intent: PlacementIntent, _ partial: PartialDownload) async throws -> Bool {
    try await stop.effect { try await store.intend(transfer, intent, partial) }
  }

  func end(_ end: TransferEnd, run: Int64?, configured: Set<FeedName>) async throws -> Bool {
    try await stop.effect { try await store.end(end, run: run, configured: configured) }
  }

  func takeInterrupted() async throws -> [Transfer] {
    try await stop.effect { try await store.takeInterrupted() }
  }

  func noteDirectory(_ path: String, at now: Instant) async throws {
    try await stop.effect { try await store.noteDirectory(path, at: now) }
  }

  func markRemoved(_ transfers: [Int64], at now: Instant) async throws {
    try await stop.effect { try await store.markRemoved(transfers, at: now) }
  }

  func unsettled() async throws -> [Transfer] { try await store.unsettled() }
  func usedDirectories() async throws -> Set<String> { try await store.usedDirectories() }
  func placedFiles(_ feed: FeedName) async throws -> [PlacedTransfer] { try await store.placedFiles(feed) }
  func feedsWithFiles() async throws -> [FeedName] { try await store.feedsWithFiles() }
  func item(_ number: Int64) async throws -> StoredItem? { try await store.item(number) }

  func owner(_ directory: String, name: String) async throws -> FeedName? {
    try await store.owner(directory, name: name)
  }

  func lastFinished(_ feed: FeedName, url: String) async throws -> Transfer? {
    try await store.lastFinished(feed, url: url)
  }
}

/// Documents directories that can be stopped after any of their changes.
struct StoppingDocuments: Documents {
  let real: any Documents
  let stop: EffectStop

  private static let dead = DocumentsProblem.other(path: "", detail: "dead")

  func prepare(_ directory: String, wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.prepare(directory, wasUsed: wasUsed) }
  }

  func open(
    _ directory: String, _ transfer: Int64, keeping kept: Int64
  ) async -> Result<any PartialFile, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.open(directory, transfer, keeping: kept) }
  }

  func place(
    _ transfer: Int64, _ intent: PlacementIntent, leaving floor: ByteCount
  ) async -> Result<PlaceOutcome, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.place(transfer, intent, leaving: floor) }
  }

  func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    await stop.effect(or: ()) { await real.clear(transfer, intent) }
  }

  func discard(_ directory: String, _ transfer: Int64) async {
    await stop.effect(or: ()) { await real.discard(directory, transfer) }
  }

  func discardOthers(_ directory: String, keeping transfers: Set<Int64>) async {
    await stop.effect(or: ()) { await real.discardOthers(directory, keeping: transfers) }
  }

  func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.remove(file, ofAnySize: ofAnySize) }
  }

  func isPlaced(_ intent: PlacementIntent) async -> Result<Bool, DocumentsProblem> {
    await real.isPlaced(intent)
  }

  func isTaken(_ directory: String, _ name: String) async -> Result<Bool, DocumentsProblem> {
    await real.isTaken(directory, name)
  }

  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    await real.exists(file, ofAnySize: ofAnySize)
  }

  func space(_ directory: String) async -> Result<FileSystemSpace, DocumentsProblem> {
    await real.space(directory)
  }
}
