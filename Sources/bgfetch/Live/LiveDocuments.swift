// The documents directories, as a run sees them.

import Host
import Model
import Sync

extension LiveWorld {
  /// The documents directories, as a run sees them.
  var documentsEffects: DocumentsEffects {
    DocumentsEffects(
      prepare: { await DocumentsDirectory($0).prepare(wasUsed: $1) },
      open: { await DocumentsDirectory($0).openPartial($1, keeping: $2) },
      place: { await DocumentsDirectory($1.directory).place($0, $1) },
      isPlaced: { await DocumentsDirectory($0.directory).isPlaced($0) },
      isTaken: { await DocumentsDirectory($0).isTaken($1) },
      discard: { await DocumentsDirectory($0).discard($1) },
      discardOthers: { await DocumentsDirectory($0).discardOthers(keeping: $1) },
      remove: { await DocumentsDirectory($0.directory).remove($0) },
      exists: { await DocumentsDirectory($0.directory).exists($0) },
      freeSpace: { await DocumentsDirectory($0).freeSpace() })
  }
}
