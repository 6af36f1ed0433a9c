// The downloads of a run.

import Core
import Host
import Sync

extension LiveWorld {
  var transferEffects: TransferEffects {
    TransferEffects(store: transferStoreEffects, documents: documentsEffects, download: download)
  }
}
