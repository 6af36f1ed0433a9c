// The file by which one process tells another, which sleeps, that there may be something to do.

import Glibc

/// A file that nobody reads: that it was opened for writing is the message (inotify(7)).
///
/// It may be removed or replaced at any time; what counts is its name in the directory.
public enum WakeFile {
  /// Wakes whoever sleeps by this file; where nobody does, nothing happens.
  ///
  /// To be called after what there is to do has been committed. That it fails is no failure of the caller's: the sleeper
  /// then hears of it at its next moment.
  ///
  /// - Parameter path: the file, made with 0600 if it is missing; its directory must exist.
  public static func touch(_ path: String) {
    // A pipe somebody put there must not make the caller wait.
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    _ = try? Descriptor.open(path, flags, permissions: 0o600)
  }
}
