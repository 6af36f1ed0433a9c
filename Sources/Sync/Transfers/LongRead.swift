// Partial files so large that reading them takes longer than a run may: nobody waits for their checksum who is in a hurry.

import Core

extension TransferAttempt {
  /// So many bytes are read in no time worth speaking of.
  private static let quicklyRead: Int64 = 64 << 20
  /// How often it is looked how far the reading is, in milliseconds.
  private static let lookTime: Int64 = 100

  /// Waits until a file's checksum may be asked for without a long wait.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - cutByBudget: whether the budget's end stops it, or only what else stops an attempt.
  /// - Returns: false where the attempt was stopped before.
  func isNearlyRead(_ file: any PartialFile, cutByBudget: Bool) async -> Bool {
    let machine = context.effects.machine
    var last: Int64?
    while file.unread > Self.quicklyRead {
      if Task.isCancelled { return !cutByBudget && isSuspendedByBudget() }
      // One that stands still has nobody who reads it: whoever asks for the checksum is told why.
      guard file.unread != last else { return true }
      last = file.unread
      await machine.sleep(machine.milliseconds() + Self.lookTime)
    }
    return true
  }

  /// What a whole file holds, that is to be placed.
  ///
  /// Placing brings it to the disk before it has its name. Only what is so large that it may be taken up again unread is
  /// brought there before; of anything else a power cut in between is found out by its checksum.
  func contentToPlace(_ file: any PartialFile) async throws(DocumentsProblem) -> DigestedBytes {
    guard file.size <= Self.quicklyRead else { return try await file.synchronize() }
    return DigestedBytes(bytes: file.size, sha256: try await file.sha256())
  }

  /// Brings what a file holds to safety, and notes that; without its checksum where that is far behind.
  func bringToSafety(
    _ file: any PartialFile, _ partial: inout PartialDownload
  ) async throws(DocumentsProblem) {
    guard file.unread > Self.quicklyRead else {
      let safe = try await file.synchronize()
      (partial.bytes, partial.sha256) = (safe.bytes, safe.sha256)
      return
    }
    (partial.bytes, partial.sha256) = (try await file.synchronizeUnread(), nil)
  }
}
