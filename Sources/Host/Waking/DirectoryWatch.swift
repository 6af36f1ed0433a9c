// Hears when a name in a directory is written or replaced, through inotify(7).

import Glibc
import Synchronization

/// A watch over one name in a directory.
///
/// The directory is watched and not the file, so that it does not matter whether the file is there, removed or replaced.
final class DirectoryWatch: Sendable {
  /// What happened since the last look.
  struct News: Hashable {
    /// Somebody wrote the file, or put another in its place; or so much happened that nobody knows.
    var isTouched = false
    /// The directory was removed, moved or unmounted: nothing more will be heard of it.
    var isGone = false
  }

  /// To be waited for: readable when there are news.
  let queue: Descriptor
  private let directory: PathParts
  private let path: String
  private let name: [UInt8]
  /// The watches that are in place.
  private let current = Mutex(Watches())

  /// The numbers of watches.
  private struct Watches {
    var directory: Int32?
    /// Of the directory above, which says at once that this one is gone: the kernel says so of the directory itself only
    /// when the last file in it is closed.
    var parent: Int32?
  }

  /// Begins to watch.
  init(_ directory: String, name: String) throws(SystemError) {
    queue = Descriptor(owning: try systemCall { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) })
    path = directory
    self.directory = PathParts(directory)
    self.name = Array(name.utf8)
    try watch()
  }

  /// Watches the directory that has the name now, if it is not watched already.
  func watch() throws(SystemError) {
    // Where there is nothing above, or it may not be read, the end is heard of later.
    let parent = try? add(self.directory.directory, IN_DELETE | IN_MOVED_FROM)
    let added = try add(path, IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    let before = current.withLock { current in
      defer { current = Watches(directory: added, parent: parent) }
      return current
    }
    // The same directory has the same number; of one that is gone the kernel has let go already.
    for old in [before.directory, before.parent] where old != added && old != parent { remove(old) }
  }

  private func add(_ path: String, _ events: Int32) throws(SystemError) -> Int32 {
    try queue.call { inotify_add_watch($0, path, UInt32(events) | UInt32(IN_ONLYDIR)) }
  }

  /// Takes in everything that has happened.
  func news() -> News {
    var news = News()
    // Nothing is left when it would have to wait; what else keeps it from being read would come again.
    while let bytes = try? queue.read(atMost: Self.bufferSize), !bytes.isEmpty {
      bytes.withUnsafeBytes { take($0, into: &news) }
    }
    // It says so in several ways, one after the other; once is enough.
    if news.isGone { forget() }
    return news
  }

  private func forget() {
    let before = current.withLock { current in
      defer { current = Watches() }
      return current
    }
    for old in [before.directory, before.parent] { remove(old) }
  }

  private func remove(_ watch: Int32?) {
    // That there is none any more is as good.
    if let watch { queue.borrow { _ = inotify_rm_watch($0, watch) } }
  }

  /// Room for many events: each is 16 bytes and a name of at most 255.
  private static let bufferSize = 16 * 1024

  private func take(_ events: UnsafeRawBufferPointer, into news: inout News) {
    let watched = current.withLock { $0 }
    var rest = events[...]
    while rest.count >= Self.headSize {
      // struct inotify_event: watch, mask, cookie, the length of the name, and the name with NULs after it.
      let event = UnsafeRawBufferPointer(rebasing: rest)
      let watch = event.loadUnaligned(fromByteOffset: 0, as: Int32.self)
      let mask = event.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      let length = Int(event.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      let found = event.dropFirst(Self.headSize).prefix(length).prefix { $0 != 0 }
      rest = rest.dropFirst(Self.headSize + length)
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { news.isTouched = true }
      if watch == watched.parent, found.elementsEqual(directory.name.utf8) { news.isGone = true }
      guard watch == watched.directory else { continue }
      if mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0, found.elementsEqual(name) { news.isTouched = true }
      if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0 { news.isGone = true }
    }
  }

  private static let headSize = 16
}
