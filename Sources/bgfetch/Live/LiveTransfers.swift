// Transfers as a run sees them: the store, the documents directories, the lock and the downloads.

import Core
import Host
public import StateStore
public import Sync
import Transfer

extension Store: TransferStore {}

extension LiveWorld {
  var transferEffects: TransferEffects {
    TransferEffects(
      store: store, documents: LiveDocuments(mark: store.mark, shortage: shortage),
      lock: { try transferLock() }, download: download)
  }

  /// Takes the lock that keeps transfer phases apart; nil if another process has it.
  private func transferLock() throws -> HeldLock? {
    switch try FileLock.tryAcquire(settings.transferLock, clock: invocation.clock) {
    case .held: nil
    case .acquired(let lock): HeldLock { lock.release() }
    }
  }

  /// Sends one request and passes its body to a receiver, which is not called any more when this returns.
  private var download: @Sendable (Request, any BodyReceiver) async -> Result<Response, FetchFailure> {
    let (downloads, shortage) = (downloads, shortage)
    return { request, receiver in
      do throws(FetchFailure) {
        return .success(try await downloads.download(request, into: receiver))
      } catch {
        return shortage.judged(.failure(error))
      }
    }
  }
}

extension Settings {
  /// The file of the lock that keeps transfer phases apart.
  var transferLock: String { state + "/transfer.lock" }
}

/// The documents directories of a run; a failure that only a shortage of open files caused is the machine's.
struct LiveDocuments: Documents {
  /// Marks the store's partial files, as other stores may use the same directories.
  let mark: String
  let shortage: OpenFileShortage

  private func directory(_ path: String) -> DocumentsDirectory { DocumentsDirectory(path, mark: mark) }

  func prepare(_ path: String, wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem> {
    shortage.judged(await directory(path).prepare(wasUsed: wasUsed))
  }

  func open(
    _ path: String, _ transfer: Int64, keeping kept: Int64
  ) async -> Result<any PartialFile, DocumentsProblem> {
    shortage.judged(await directory(path).openPartial(transfer, keeping: kept))
  }

  func place(
    _ transfer: Int64, _ intent: PlacementIntent, leaving floor: ByteCount
  ) async -> Result<PlaceOutcome, DocumentsProblem> {
    shortage.judged(await directory(intent.directory).place(transfer, intent, leaving: floor))
  }

  func isPlaced(_ intent: PlacementIntent) async -> Result<Bool, DocumentsProblem> {
    shortage.judged(await directory(intent.directory).isPlaced(intent))
  }

  func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    await directory(intent.directory).clear(transfer, intent)
  }

  func isTaken(_ path: String, _ name: String) async -> Result<Bool, DocumentsProblem> {
    shortage.judged(await directory(path).isTaken(name))
  }

  func discard(_ path: String, _ transfer: Int64) async { await directory(path).discard(transfer) }

  func discardOthers(_ path: String, keeping transfers: Set<Int64>) async {
    await directory(path).discardOthers(keeping: transfers)
  }

  func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem> {
    shortage.judged(await directory(file.directory).remove(file, ofAnySize: ofAnySize))
  }

  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    await directory(file.directory).exists(file, ofAnySize: ofAnySize)
  }

  func space(_ path: String) async -> Result<FileSystemSpace, DocumentsProblem> {
    shortage.judged(await directory(path).space())
  }
}
