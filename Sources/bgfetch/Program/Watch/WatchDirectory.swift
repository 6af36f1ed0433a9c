// The state directory of a run that stays: taken hold of anew when another one has its name.

import Host

extension Watch {
  /// Locks and listens to the state directory that has the name now, if that is not the one from before.
  ///
  /// That a directory above it was moved, or a file system unmounted, nobody tells; the lock's file is then another one.
  ///
  /// - Throws: what keeps it from being made, locked or listened to; the next call tries again.
  mutating func holdDirectory() throws {
    guard hasLostDirectory || !lock.isInPlace else { return }
    hasLostDirectory = true
    try invocation.makeStateDirectory(settings)
    // Whoever has it now came after this one; if it came back in the meantime, that is this one.
    if !lock.isInPlace { lock = try invocation.watchLock(settings) }
    try wakeUps.watchAgain()
    hasLostDirectory = false
  }
}
