// The documents directories, as a run sees them.

import Core
import Host
import StateStore
import Sync

extension LiveWorld {
  /// The documents directories, as a run sees them.
  var documentsEffects: DocumentsEffects {
    let mark = store.mark
    return DocumentsEffects(
      prepare: { await DocumentsDirectory($0).prepare(wasUsed: $1) },
      open: { await DocumentsDirectory($0, mark: mark).openPartial($1, keeping: $2) },
      place: { await DocumentsDirectory($1.directory, mark: mark).place($0, $1, leaving: $2) },
      isPlaced: { await DocumentsDirectory($0.directory, mark: mark).isPlaced($0) },
      clear: { await DocumentsDirectory($1.directory, mark: mark).clear($0, $1) },
      isTaken: { await DocumentsDirectory($0).isTaken($1) },
      discard: { await DocumentsDirectory($0, mark: mark).discard($1) },
      discardOthers: { await DocumentsDirectory($0, mark: mark).discardOthers(keeping: $1) },
      remove: { await DocumentsDirectory($0.directory).remove($0, ofAnySize: $1) },
      exists: { await DocumentsDirectory($0.directory).exists($0, ofAnySize: $1) },
      space: { await DocumentsDirectory($0).space() })
  }
}
