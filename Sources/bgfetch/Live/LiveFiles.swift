// Feeds that are files, as a run sees them.

import Core
import Host
import Sync

extension LiveWorld {
  /// Feeds that are files, as a run sees them.
  var fileEffects: FileEffects {
    FileEffects { [shortage] path, limit, tag in
      switch await readFeedFile(path, limit: limit, unlessTagged: tag) {
      case nil: .failure(.suspended)
      case .success(.unchanged): .success(.unchanged)
      case .success(.content(let bytes, let tag)): .success(.content(bytes, tag: tag))
      case .failure(FileFailure(path: path, problem: .tooLarge(limit: limit))): .failure(.tooLarge(limit))
      case .failure(let failure): shortage.judged(.failure(.file(fileText(failure))))
      }
    }
  }
}
