// The only file that knows which store keeps the state: SQLite in the state directory.

import Core
import Host
import StateStore
import Sync

extension Store: CommandStore {
  func simulationCopy(in directory: String) async throws -> any CommandStore {
    try await copyForSimulation(to: directory)
  }
}

/// The store of a state directory.
enum LiveStore {
  static func open(_ directory: String, for mode: StoreMode) throws -> any CommandStore {
    try Store.open(directory, mode: mode)
  }

  /// Refuses a state directory, or files of the store, that another user may have put there.
  static func requireSafety(of directory: String, isOnlyRead: Bool = false) throws(FileFailure) {
    try FileSafety.requireStore(directory, named: Store.fileName, isOnlyRead: isOnlyRead)
  }

  /// The file of the store of a directory.
  static func file(in directory: String) -> String { directory + "/" + Store.fileName }

  /// Whether there is a store in a directory; false if that cannot be seen.
  static func exists(in directory: String) -> Bool { fileIdentity(file(in: directory)) != nil }

  /// Whether a run with this note (`QuietNote`) has nothing to do now; calls no actor, and so starts no thread.
  static func isQuiet(_ note: UInt64, in directory: String, at now: Instant) throws -> Bool {
    try Store.isQuiet(note, in: directory, at: now)
  }
}
