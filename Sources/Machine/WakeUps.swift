// Waits for events that may make a feed due: a moment, a wake file, a clock that was set.
//
// `bgfetch run --watch` sleeps here in one poll(2) and uses no processor time while nothing happens.

import CLinux
public import Core
import Glibc
import Synchronization

public enum WakeReason: Hashable, Sendable {
  case time
  /// The wake file was touched.
  case file
  /// The time of day was set, or the machine slept.
  case clockSet
  /// The directory of the wake file was removed, moved or unmounted; call `watchAgain`.
  case directoryGone
}

/// A directory that cannot be watched for a wake file.
public struct WakeFailure: Error, Hashable, Sendable {
  public let directory: String
  /// `EMFILE` and `ENOSPC` mean the limits on inotify(7).
  public let error: SystemError
}

/// Wakes a process that sleeps between fetches.
///
/// A thread sleeps in poll(2) without a time limit.
public final class WakeUps: Sendable {
  /// Yields when `take` has reasons; at most one element waits.
  public let news: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation
  private let reasons = Mutex<Set<WakeReason>>([])
  private let directory: DirectoryWatch
  private let path: String
  private let timer: ClockTimer
  private let stop: Pipe

  /// Begins to watch.
  ///
  /// - Parameter path: the wake file, which may be missing; its directory must exist.
  /// - Throws: why the directory cannot be watched.
  public init(file path: String) throws(WakeFailure) {
    let parts = PathParts(path)
    self.path = parts.directory
    do throws(SystemError) {
      directory = try DirectoryWatch(parts.directory, name: parts.name)
      timer = try ClockTimer()
      stop = try Pipe()
    } catch {
      throw WakeFailure(directory: parts.directory, error: error)
    }
    (news, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    do throws(SystemError) {
      try startThread { [directory, timer, stop, weak self] in
        Self.sleep(directory, timer, stop) { reason in self?.note(reason) }
      }
    } catch {
      throw WakeFailure(directory: parts.directory, error: error)
    }
  }

  deinit { end() }

  /// Sets the moment of the next wake-up, in place of the previous one; nil means none.
  ///
  /// A moment in the past wakes at once.
  public func set(_ moment: Instant?) {
    // The new clock may mean another moment; the caller sets it again.
    if timer.set(moment) { note(.clockSet) }
  }

  /// The reasons since the last call.
  public func take() -> Set<WakeReason> {
    reasons.withLock { reasons in
      defer { reasons = [] }
      return reasons
    }
  }

  /// Watches the directory that now has the path, after `directoryGone`.
  public func watchAgain() throws(WakeFailure) {
    do throws(SystemError) {
      try directory.watch()
    } catch {
      throw WakeFailure(directory: path, error: error)
    }
  }

  /// Ends the thread and `news`.
  public func end() {
    bell.finish()
    // A full pipe wakes the thread too.
    stop.writing.borrow { _ = write($0, [0], 1) }
  }

  private func note(_ reason: WakeReason) {
    let isFirst = reasons.withLock { reasons in
      defer { reasons.insert(reason) }
      return reasons.isEmpty
    }
    if isFirst { bell.yield() }
  }

  /// The thread's work; it has no reference to the object, so that the object's deinit can end it.
  private static func sleep(
    _ directory: DirectoryWatch, _ timer: ClockTimer, _ stop: Pipe, _ note: (WakeReason) -> Void
  ) {
    while true {
      var wanted = [directory.queue, timer.timer, stop.reading].map { source in
        source.borrow { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      }
      // The result does not matter: everything is checked.
      poll(&wanted, nfds_t(wanted.count), -1)
      if wanted[2].revents != 0 { return }
      let news = directory.news()
      if news.isTouched { note(.file) }
      if news.isGone { note(.directoryGone) }
      switch timer.news() {
      case .time: note(.time)
      case .clockSet: note(.clockSet)
      case nil: break
      }
    }
  }
}

/// An empty file by which a process wakes `bgfetch run --watch`: opening it for writing is the message (inotify(7)).
///
/// It may be removed or replaced at any time; only its name counts.
public enum WakeFile {
  /// Wakes the process that watches this file, if there is one.
  ///
  /// Call it after the new work is committed. A failure is ignored: the watching process finds the work at its next
  /// wake-up.
  ///
  /// - Parameter path: the file, created with 0600 if it is missing; its directory must exist.
  public static func touch(_ path: String) {
    // A pipe at this path must not block the caller.
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    _ = try? Descriptor.open(path, flags, permissions: 0o600)
  }
}

/// A timer that fires at a moment by the time of day, and when the clock is set (timerfd_create(2)).
///
/// It fires after the machine slept past the moment.
final class ClockTimer: Sendable {
  enum News: Hashable {
    case time
    case clockSet
  }

  /// Readable when the timer has fired.
  let timer: Descriptor

  init() throws(SystemError) {
    timer = Descriptor(owning: try systemCall { bgfetch_clock_timer() })
  }

  /// Sets the moment, in place of the previous one; nil means in a year, so that a clock change is still noticed.
  ///
  /// - Returns: whether the clock was set since the last call.
  func set(_ moment: Instant?) -> Bool {
    let year: Int64 = 365 * 86_400
    let seconds = max(1, moment?.secondsSince1970 ?? Int64(time(nil)) + year)
    // 20 ms late: time(2) lags by a tick of the kernel, at most 10 ms, and would still show the second before.
    let outcome = timer.borrow { bgfetch_set_clock_timer($0, time_t(seconds), 20_000_000) }
    // No other error is possible. The timer is set anyway.
    return outcome == -1 && errno == ECANCELED
  }

  /// Why it fired; nil if it has not.
  func news() -> News? {
    do throws(SystemError) {
      return try timer.read(atMost: MemoryLayout<UInt64>.size).isEmpty ? nil : .time
    } catch {
      return error.code == ECANCELED ? .clockSet : nil
    }
  }
}

/// A watch for one name in a directory (inotify(7)).
///
/// It watches the directory, not the file, because the file may be missing, removed or replaced.
final class DirectoryWatch: Sendable {
  struct News: Hashable {
    /// The file was written or replaced, or the queue of events overflowed.
    var isTouched = false
    /// The directory was removed, moved or unmounted: no more events will come.
    var isGone = false
  }

  /// Readable when there are events.
  let queue: Descriptor
  private let directory: PathParts
  private let path: String
  private let name: [UInt8]
  private let current = Mutex(Watches())

  private struct Watches {
    var directory: Int32?
    /// The parent directory.
    ///
    /// It reports a removal at once, the directory itself only when its last open file is closed.
    var parent: Int32?
  }

  init(_ directory: String, name: String) throws(SystemError) {
    queue = Descriptor(owning: try systemCall { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) })
    path = directory
    self.directory = PathParts(directory)
    self.name = Array(name.utf8)
    try watch()
  }

  /// Watches the directory that now has the path.
  func watch() throws(SystemError) {
    let watched = current.withLock { current -> Result<Void, SystemError> in
      // Within the lock, because an event may come before the numbers of the watches are stored.
      do throws(SystemError) {
        // If there is no parent, or it cannot be read, a removal is noticed later.
        let parent = try? add(self.directory.directory, IN_DELETE | IN_MOVED_FROM)
        let added = try add(path, IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
        // The same directory keeps its number; the kernel drops the watch of a removed one itself.
        for old in [current.directory, current.parent] where old != added && old != parent { remove(old) }
        current = Watches(directory: added, parent: parent)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try watched.get()
  }

  private func add(_ path: String, _ events: Int32) throws(SystemError) -> Int32 {
    try queue.call { inotify_add_watch($0, path, UInt32(events) | UInt32(IN_ONLYDIR)) }
  }

  /// Reads all events.
  func news() -> News {
    var news = News()
    // The read fails when no event is left.
    while let bytes = try? queue.read(atMost: Self.bufferSize), !bytes.isEmpty {
      bytes.withUnsafeBytes { take($0, into: &news) }
    }
    // Several events report one removal; without the watches, the later ones are ignored.
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
