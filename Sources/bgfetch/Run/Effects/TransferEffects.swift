// The store and the documents directories as the transfer phase uses them.

import Core

/// The state store as the transfer phase uses it; each function is one short transaction, or a part of one.
protocol TransferStore: Sendable {
  /// Every transfer that is not settled, in the order in which they were queued.
  func unsettled() async throws -> [Transfer]
  /// Makes a queued or suspended transfer running; false if it has another status, or the user suspended it.
  func begin(_ transfer: Int64, in directory: String) async throws -> Bool
  /// Records the bytes of a running transfer that are safely stored; false if it is no longer running.
  ///
  /// With `isProgress` a later attempt can resume from them, and failures before no longer count.
  func checkpoint(_ transfer: Int64, _ partial: PartialDownload, isProgress: Bool) async throws -> Bool
  /// Records the final name of a running transfer and its bytes, durably; false if it is no longer running.
  func recordIntent(_ transfer: Int64, _ intent: PlacementIntent, _ partial: PartialDownload) async throws
    -> Bool
  /// Writes how an attempt ended, with all that follows from it; false if another process was first.
  func end(_ end: TransferEnd, run: Int64?, configured: FeedNames) async throws -> Bool
  /// Suspends the transfers that a dead process left running, and returns those it was placing; only the directory knows
  /// whether their files have their names. To be called under the transfer lock.
  func takeInterrupted() async throws -> [Transfer]
  /// The directories that were used before; one that is gone is not made again.
  func usedDirectories() async throws -> Set<String>
  func noteDirectory(_ path: String, at now: Instant) async throws
  /// A feed's placed files that were not removed, the oldest first.
  func placedFiles(_ feed: FeedName) async throws -> [PlacedTransfer]
  /// The files of a feed's unsettled transfers.
  func queuedFiles(_ feed: FeedName) async throws -> [CountedFile]
  func feedsWithFiles() async throws -> [FeedName]
  /// The feed whose placed file has a name in a directory, in any letter case; nil if bgfetch placed no such file.
  func owner(_ directory: String, name: String) async throws -> FeedName?
  /// Records that placed files were removed, or are gone.
  func markRemoved(_ transfers: [Int64], at now: Instant) async throws
  /// A feed's last finished transfer of exactly this URL.
  func lastFinished(_ feed: FeedName, url: String) async throws -> Transfer?
  func item(_ number: Int64) async throws -> StoredItem?
}

/// A documents directory.
///
/// Every name is resolved below it without following symbolic links. Placed files and intents must be of this directory.
protocol Documents: Sendable {
  /// Whether calls send requests: they then take their time, end early if the task is cancelled, and are made only if they
  /// must be.
  var isRemote: Bool { get }
  /// Makes it ready, and its `.bgfetch` below it, unless it was used before and is gone; returns the space of its
  /// file system if that is known.
  func prepare(wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem>
  /// Opens the partial file of a transfer, cut back to `kept` bytes; `partialLost` if it has fewer.
  func openPartial(_ transfer: Int64, keeping kept: Int64) async -> Result<any PartialFile, DocumentsProblem>
  /// Gives partial files their final names; `nameTaken` is a success and asks for another name.
  ///
  /// `floor` is the space to leave on the file system of a subdirectory if a file must be copied there.
  func place(_ placements: [Placement], leaving floor: ByteCount) async -> [Result<
    PlaceOutcome, DocumentsProblem
  >]
  /// Whether the file has its final name already.
  func isPlaced(_ placement: Placement) async -> Result<Bool, DocumentsProblem>
  /// Removes the remains of a placement that a dead process did not finish.
  func clear(_ transfer: Int64, _ intent: PlacementIntent) async
  /// For each name, whether anything has it, in any letter case.
  func areTaken(_ names: [String]) async -> [Result<Bool, DocumentsProblem>]
  /// Removes the partial file of a transfer, if there is one.
  func discard(_ transfer: Int64) async
  /// Removes its partial files except those of some transfers.
  func discardOthers(keeping transfers: Set<Int64>) async
  /// Removes a placed file; false if it is gone or was replaced: it has another size, and hooks cannot have changed it.
  func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem>
  /// Whether a placed file still exists, with its size or, if hooks may have changed the size, with any.
  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool
  func space() async -> Result<FileSystemSpace, DocumentsProblem>
}
