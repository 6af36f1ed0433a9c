// Waits for events that may make a feed due: a moment, a wake file, a clock that was set, files that were replaced.
//
// `bgfetch run --watch` sleeps here in one poll(2) and uses no processor time while nothing happens.

import CLinux
public import Core
import Glibc

public enum WakeReason: Sendable {
  case time
  /// The wake file was touched.
  case file
  /// The time of day was set, or the machine slept.
  case clockSet
  /// The directory of the wake file was removed, moved or unmounted.
  case directoryGone
  /// Something changed in the directory of a file of `watch(files:)`.
  case filesChanged
  /// The power supplies, the network or the sessions may have changed.
  case surroundingsChanged
}

/// A directory that cannot be watched for a wake file.
public struct WakeFailure: Error, Sendable {
  public let directory: String
  /// `EMFILE` and `ENOSPC` mean the limits on inotify(7).
  public let error: SystemError
}

/// Wakes a process that sleeps between fetches, in one poll(2).
public final class WakeUps {
  private var directory: DirectoryWatch
  private let timer: ClockTimer

  /// Begins to watch.
  ///
  /// - Parameter path: the wake file, which may be missing; its directory must exist.
  /// - Throws: why the directory cannot be watched.
  public init(file path: String) throws(WakeFailure) {
    let parts = PathParts(path)
    do throws(SystemError) {
      directory = try DirectoryWatch(parts.directory, name: parts.name)
      timer = try ClockTimer()
    } catch {
      throw WakeFailure(directory: parts.directory, error: error)
    }
  }

  /// Sleeps until a moment, an event, a signal, or a report or the end of a program.
  ///
  /// - Parameters:
  ///   - moment: when to wake at the latest, by the time of day; nil means never. One in the past wakes at once.
  ///   - limit: how long to sleep at most; nil means without a limit.
  /// - Returns: the reasons, none for a signal or a program; nil when the limit has passed.
  public func sleep(
    until moment: Instant?, atMost limit: Duration? = nil, or signals: StopSignals? = nil,
    _ programs: [ReportingProgram] = [], _ surroundings: SurroundingsWatch? = nil
  ) -> Set<WakeReason>? {
    // The new clock may mean another moment; the caller decides again.
    if timer.set(moment) { return [.clockSet] }
    let sources =
      [directory.queue, timer.timer] + [signals?.pipe].compactMap(\.self) + programs.map(\.pipe)
    let end = limit.map { ContinuousClock.now + $0 }
    while true {
      var wanted = (sources + (surroundings?.sources ?? [])).map { source in
        source.borrow { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      }
      let wait = end.map { Int32(clamping: max(0, ($0 - .now).milliseconds)) } ?? -1
      if poll(&wanted, nfds_t(wanted.count), wait) == 0 { return nil }
      let others = [timer.news(), surroundings?.hasNews() == true ? .surroundingsChanged : nil]
      let reasons = directory.news().union(others.compactMap(\.self))
      // Most events of the directory are about other files, and those of devices about others than power supplies.
      if !reasons.isEmpty || wanted.prefix(sources.count).dropFirst(2).contains(where: { $0.revents != 0 }) {
        return reasons
      }
    }
  }

  /// Watches files, and directories, instead of those before; what cannot be watched is left out.
  public func watch(files paths: [String]) { directory.watch(files: paths) }
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
struct ClockTimer {
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
  func news() -> WakeReason? {
    do throws(SystemError) {
      return try timer.read(atMost: MemoryLayout<UInt64>.size).isEmpty ? nil : .time
    } catch {
      return error.code == ECANCELED ? .clockSet : nil
    }
  }
}

/// A watch for one name in a directory, and for changes of other files (inotify(7)).
///
/// It watches directories, not files, because a file may be missing, removed or replaced. Of the other files it reports too much:
/// changes of all files in their directories.
struct DirectoryWatch {
  /// Readable when there are events.
  let queue: Descriptor
  private let directory: PathParts
  private let name: [UInt8]
  /// The number of the watch of the directory.
  private let current: Int32
  /// The number of the watch of the parent directory; nil if there is none, or it cannot be read.
  ///
  /// It reports a removal at once, the directory itself only when its last open file is closed.
  private let parent: Int32?
  /// The numbers of the watches of other files.
  private var others: Set<Int32> = []

  init(_ directory: String, name: String) throws(SystemError) {
    queue = Descriptor(owning: try systemCall { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) })
    self.directory = PathParts(directory)
    self.name = Array(name.utf8)
    parent = try? Self.watch(self.directory.directory, IN_DELETE | IN_MOVED_FROM, in: queue)
    current = try Self.watch(
      directory, IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF, in: queue)
  }

  /// Adds events of a directory to a queue; one that is watched already keeps its number and its other events.
  private static func watch(
    _ directory: String, _ events: Int32, in queue: Descriptor
  ) throws(SystemError) -> Int32 {
    try queue.call { inotify_add_watch($0, directory, UInt32(events | IN_ONLYDIR | IN_MASK_ADD)) }
  }

  /// Watches other files instead of those before.
  mutating func watch(files paths: [String]) {
    // A symbolic link may be replaced, and so may the file that it leads to.
    let targets = paths.compactMap { path in
      realpath(path, nil).map { target in
        defer { free(target) }
        return String(cString: target)
      }
    }
    let directories = Set((paths + targets).map { PathParts($0).directory } + paths)
    let changes =
      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
    let added = Set(directories.compactMap { try? Self.watch($0, changes, in: queue) })
    for old in others.subtracting(added) where old != current && old != parent {
      queue.borrow { _ = inotify_rm_watch($0, old) }
    }
    others = added
  }

  /// Reads all events; returns what they say.
  func news() -> Set<WakeReason> {
    var news: Set<WakeReason> = []
    // The read fails when no event is left. There is room for many: each is 16 bytes and a name of at most 255.
    while let bytes = try? queue.read(atMost: 16 * 1024), !bytes.isEmpty {
      bytes.withUnsafeBytes { handle($0, &news) }
    }
    return news
  }

  private func handle(_ events: UnsafeRawBufferPointer, _ news: inout Set<WakeReason>) {
    var rest = events[...]
    while rest.count >= Self.headSize {
      // struct inotify_event: watch, mask, cookie, the length of the name, and the name with NULs after it.
      let event = UnsafeRawBufferPointer(rebasing: rest)
      let watch = event.loadUnaligned(fromByteOffset: 0, as: Int32.self)
      let mask = event.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      let length = Int(event.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      let found = event.dropFirst(Self.headSize).prefix(length).prefix { $0 != 0 }
      rest = rest.dropFirst(Self.headSize + length)
      func has(_ events: Int32) -> Bool { mask & UInt32(events) != 0 }
      if has(IN_Q_OVERFLOW) { news.formUnion([.file, .filesChanged]) }
      if others.contains(watch) { news.insert(.filesChanged) }
      if watch == parent, has(IN_DELETE | IN_MOVED_FROM), found.elementsEqual(directory.name.utf8) {
        news.insert(.directoryGone)
      }
      guard watch == current else { continue }
      if has(IN_CLOSE_WRITE | IN_MOVED_TO), found.elementsEqual(name) { news.insert(.file) }
      if has(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) { news.insert(.directoryGone) }
    }
  }

  private static let headSize = 16
}
