// The calls that every place for documents answers.

public import Core

/// A place for documents: a directory, or a bucket.
///
/// Every name is resolved below it without following symbolic links. Placed files and intents must be of this directory.
public protocol Documents: Sendable {
  /// Whether calls send requests: they then take their time, end early if the task is cancelled, and are made only if they
  /// must be.
  var isRemote: Bool { get }
  /// Makes it ready, and its `.bgfetch` below it, unless it was used before and is gone.
  func prepare(wasUsed: Bool) async throws(DocumentsProblem)
  /// Opens the partial file of a transfer, cut back to `kept` bytes; `partialLost` if it has fewer.
  func openPartial(_ transfer: Int64, keeping kept: Int64) async throws(DocumentsProblem) -> PartialFile
  /// Gives a partial file its final name; `nameTaken` is a success and asks for another name.
  func place(_ placement: Placement) async throws(DocumentsProblem) -> PlaceOutcome
  /// Whether the file has its final name already.
  func isPlaced(_ placement: Placement) async throws(DocumentsProblem) -> Bool
  /// Removes the remains of a placement that a dead process did not finish.
  func clear(_ transfer: Int64, _ intent: PlacementIntent) async
  /// Whether anything has a name.
  func isTaken(_ name: String) async throws(DocumentsProblem) -> Bool
  /// Removes the partial file of a transfer, if there is one.
  func discard(_ transfer: Int64) async
  /// Removes its partial files except those of some transfers.
  func discardOthers(keeping transfers: Set<Int64>) async
  /// Removes a placed file; false if it is gone or was replaced: it has another size, and hooks cannot have changed it.
  func remove(_ file: PlacedFile, ofAnySize: Bool) async throws(DocumentsProblem) -> Bool
  /// Whether a placed file still exists, with its size or, if hooks may have changed the size, with any.
  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool
  /// The free space of its file system.
  func space() async throws(DocumentsProblem) -> ByteCount
  /// The sizes of all files below it, by name, from lists; partial files are left out.
  func sizes() async throws(DocumentsProblem) -> [String: Int64]
}

extension DocumentsDirectory: Documents {
  public var isRemote: Bool { false }
}
