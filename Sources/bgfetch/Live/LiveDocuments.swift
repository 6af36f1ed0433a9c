// The documents directories, as a run sees them.

import Core
import Host
import StateStore
import Sync

extension LiveWorld {
  /// The documents directories, as a run sees them.
  var documentsEffects: DocumentsEffects {
    let (mark, shortage) = (store.mark, shortage)
    return DocumentsEffects(
      prepare: { shortage.judged(await DocumentsDirectory($0).prepare(wasUsed: $1)) },
      open: { shortage.judged(await DocumentsDirectory($0, mark: mark).openPartial($1, keeping: $2)) },
      place: {
        shortage.judged(await DocumentsDirectory($1.directory, mark: mark).place($0, $1, leaving: $2))
      },
      isPlaced: { shortage.judged(await DocumentsDirectory($0.directory, mark: mark).isPlaced($0)) },
      clear: { await DocumentsDirectory($1.directory, mark: mark).clear($0, $1) },
      isTaken: { shortage.judged(await DocumentsDirectory($0).isTaken($1)) },
      discard: { await DocumentsDirectory($0, mark: mark).discard($1) },
      discardOthers: { await DocumentsDirectory($0, mark: mark).discardOthers(keeping: $1) },
      remove: { shortage.judged(await DocumentsDirectory($0.directory).remove($0, ofAnySize: $1)) },
      exists: { await DocumentsDirectory($0.directory).exists($0, ofAnySize: $1) },
      space: { shortage.judged(await DocumentsDirectory($0).space()) })
  }
}
