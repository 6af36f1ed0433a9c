// The one wait of a process that stays: for a moment, a touched file and a set clock, all in one poll(2).

import CLinux
public import Core
import Glibc
import Synchronization

/// Why a process that slept is awake.
public enum WakeReason: Hashable, Sendable {
  /// The moment that was set has come.
  case time
  /// The wake file was touched.
  case file
  /// The time of day was set, or the machine slept in between.
  case clockSet
  /// The directory of the wake file was removed, moved or unmounted; `watchAgain` is needed to hear of the file.
  case directoryGone
}

/// A directory in which a wake file cannot be listened to, and why.
public struct WakeFailure: Error, Hashable, Sendable {
  /// The directory.
  public let directory: String
  /// What the system said; `EMFILE` and `ENOSPC` are its limits on inotify(7).
  public let error: SystemError
}

/// What wakes a process that stays.
///
/// A thread of its own sleeps in poll(2), without any time limit: as long as nothing happens it uses no time at all.
public final class WakeUps: Sendable {
  /// Has an element when there are reasons to be taken; never more than one that is not looked at yet.
  public let news: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation
  private let reasons = Mutex<Set<WakeReason>>([])
  private let directory: DirectoryWatch
  private let path: String
  private let timer: ClockTimer
  private let stop: Pipe

  /// Listens from now on.
  ///
  /// - Parameter path: the wake file, there or not; its directory must exist.
  /// - Throws: what keeps the directory from being watched.
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

  /// Sets the moment to be woken at, in place of the one before; nil is none.
  ///
  /// A moment that has passed wakes at once.
  public func set(_ moment: Instant?) {
    // The moment may be another one under the new clock, so it is set anew by whoever hears of it.
    if timer.set(moment) { note(.clockSet) }
  }

  /// Takes the reasons that came up since the last time.
  public func take() -> Set<WakeReason> {
    reasons.withLock { reasons in
      defer { reasons = [] }
      return reasons
    }
  }

  /// Listens to the directory that has the name now, after the one before was gone.
  public func watchAgain() throws(WakeFailure) {
    do throws(SystemError) {
      try directory.watch()
    } catch {
      throw WakeFailure(directory: path, error: error)
    }
  }

  /// Ends the thread and the news.
  public func end() {
    bell.finish()
    // Whatever it says: once is enough, and a full pipe says the same.
    stop.writing.borrow { _ = write($0, [0], 1) }
  }

  private func note(_ reason: WakeReason) {
    let isFirst = reasons.withLock { reasons in
      defer { reasons.insert(reason) }
      return reasons.isEmpty
    }
    if isFirst { bell.yield() }
  }

  /// The thread's work: it holds nothing of the object, so that letting go of that ends it.
  private static func sleep(
    _ directory: DirectoryWatch, _ timer: ClockTimer, _ stop: Pipe, _ note: (WakeReason) -> Void
  ) {
    while true {
      var wanted = [directory.queue, timer.timer, stop.reading].map { source in
        source.borrow { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      }
      // A signal is none of this thread's; whatever it says, everything is looked at.
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
