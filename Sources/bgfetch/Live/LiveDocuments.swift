// The documents directories of a run.

import Core
import Host
import Sync

struct LiveDocuments: Documents {
  /// Marks the store's partial files, as other stores may use the same directories.
  let mark: String

  private func directory(_ path: String) -> DocumentsDirectory { DocumentsDirectory(path, mark: mark) }

  func prepare(_ path: String, wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem> {
    await directory(path).prepare(wasUsed: wasUsed)
  }

  func open(
    _ path: String, _ transfer: Int64, keeping kept: Int64
  ) async -> Result<any PartialFile, DocumentsProblem> {
    await directory(path).openPartial(transfer, keeping: kept)
  }

  func place(
    _ transfer: Int64, _ intent: PlacementIntent, leaving floor: ByteCount
  ) async -> Result<PlaceOutcome, DocumentsProblem> {
    await directory(intent.directory).place(transfer, intent, leaving: floor)
  }

  func isPlaced(_ intent: PlacementIntent) async -> Result<Bool, DocumentsProblem> {
    await directory(intent.directory).isPlaced(intent)
  }

  func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    await directory(intent.directory).clear(transfer, intent)
  }

  func isTaken(_ path: String, _ name: String) async -> Result<Bool, DocumentsProblem> {
    await directory(path).isTaken(name)
  }

  func discard(_ path: String, _ transfer: Int64) async { await directory(path).discard(transfer) }

  func discardOthers(_ path: String, keeping transfers: Set<Int64>) async {
    await directory(path).discardOthers(keeping: transfers)
  }

  func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem> {
    await directory(file.directory).remove(file, ofAnySize: ofAnySize)
  }

  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    await directory(file.directory).exists(file, ofAnySize: ofAnySize)
  }

  func space(_ path: String) async -> Result<FileSystemSpace, DocumentsProblem> {
    await directory(path).space()
  }
}
