// What `keep` removes, and partial files that belong to no transfer.

import Core

extension TransferPhase {
  /// Removes what the feeds' `keep` does not want any more.
  ///
  /// Only what bgfetch placed is removed, and only as long as it is as it was placed, or hooks have made it.
  func retain() async throws {
    let withFiles = Set(try await context.store.feedsWithFiles())
    for feed in context.settings.feeds {
      guard let keep = feed.download?.keep, !keep.keepsAll, withFiles.contains(feed.name) else { continue }
      let isOfAnySize = context.settings.hooks.contains { $0.hearsOfFiles(of: feed) }
      let files = try await context.store.placedFiles(feed.name)
      var unwanted = filesToRemove(files, keep: keep, at: context.now)
      if !unwanted.isEmpty {
        // The newest that stays is one that is there: what the user removed counts no more.
        var there: [PlacedTransfer] = []
        for placed in files where await context.documents.exists(placed.file, isOfAnySize) {
          there.append(placed)
        }
        unwanted = filesToRemove(there, keep: keep, at: context.now)
      }
      var removed: [Int64] = []
      for placed in unwanted {
        // What cannot be removed now is tried again by the next run.
        guard case .success(let wasThere) = await context.documents.remove(placed.file, isOfAnySize) else {
          continue
        }
        removed.append(placed.transfer)
        if wasThere { context.report(.removed(feed.name, placed.file)) }
      }
      if !removed.isEmpty { try await context.store.markRemoved(removed, context.now) }
    }
  }

  /// Removes the partial files of the documents directories whose transfer is settled or unknown.
  func discardOrphans() async throws {
    let unsettled = Set(try await context.store.unsettled().map(\.number))
    for directory in try await context.store.usedDirectories().sorted() {
      await context.documents.discardOthers(directory, unsettled)
    }
  }
}
