// The store as the transfer phase sees it.

import Core
import StateStore
import Sync

extension LiveWorld {
  /// The store as the transfer phase sees it.
  var transferStoreEffects: TransferStoreEffects {
    let store = store
    let configured = settings.feedNames
    return TransferStoreEffects(
      unsettled: { try await store.unsettled() },
      begin: { transfer, directory, _ in try await store.begin(transfer, in: directory) },
      checkpoint: { transfer, partial, isProgress in
        try await store.checkpoint(transfer, partial, isProgress: isProgress)
      },
      leave: { try await store.leave($0) },
      noteRequests: { try await store.noteRequests($1, of: $0) },
      intend: { transfer, intent, partial in try await store.intend(transfer, intent, partial) },
      settle: { settlement, run in
        try await store.settle(settlement, run: run, configured: configured)
      },
      forgetBody: { transfer, commit, nextDue, run in
        try await store.forgetBody(
          transfer, commit, run: run, nextDue: nextDue, configured: configured)
      },
      leaveBody: { leave, commit, nextDue, run in
        try await store.leaveBody(
          leave, commit, run: run, nextDue: nextDue, configured: configured)
      },
      takeInterrupted: { _ in try await store.takeInterrupted() },
      usedDirectories: { try await store.usedDirectories() },
      noteDirectory: { path, now in try await store.noteDirectory(path, at: now) },
      placedFiles: { try await store.placedFiles($0) },
      feedsWithFiles: { try await store.feedsWithFiles() },
      owner: { directory, name in try await store.owner(directory, name: name) },
      markRemoved: { transfers, now in try await store.markRemoved(transfers, at: now) },
      lastFinished: { feed, url in try await store.lastFinished(feed, url: url) },
      item: { number in try await store.item(number) })
  }
}
