// A lock that lives in a file and dies with its process. What it keeps apart is the caller's business.

public import Core
import Glibc
import Synchronization

/// A lock that this process holds until it is released or the process ends, however it ends (flock(2)).
///
/// The file says who holds it and since when, for messages; it is never deleted, since a waiting process
/// would then hold a lock on a file that nobody else finds. Children do not inherit it.
public final class FileLock: Sendable {
  /// The lock's file.
  public let path: String
  private let descriptor: Mutex<Descriptor?>

  private init(path: String, descriptor: Descriptor) {
    self.path = path
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    release()
  }

  /// Whether its file is the one that others find by its path; not after the file or its directory was replaced.
  public var isInPlace: Bool {
    guard let held = descriptor.withLock({ $0 }) else { return false }
    // What cannot be looked at does not keep anybody away.
    return (try? Self.isStillThere(held, at: path)) ?? false
  }

  /// Gives the lock back; the second time it does nothing.
  public func release() {
    guard let held = descriptor.withLock({ $0.take() }) else { return }
    // Emptied first, so that whoever asks between the next holder's locking and writing gets no stale name.
    // If that fails, a message names the wrong process, no more.
    held.borrow { _ = ftruncate($0, 0) }
    // Closing alone would not do: a child has a copy of the descriptor for the instant before its exec.
    held.borrow { _ = flock($0, LOCK_UN) }
  }

  /// Takes the lock if it is free; never waits.
  ///
  /// - Parameters:
  ///   - path: the file, made with 0600 if it is missing; its directory must exist.
  ///   - clock: says since when, in the file.
  /// - Returns: the lock, or who holds it.
  /// - Throws: what keeps the file from being made or locked at all.
  public static func tryAcquire(_ path: String, clock: WallClock) throws(FileFailure) -> LockAttempt {
    do throws(FileFailure) {
      return .acquired(try acquire(path, clock, LOCK_EX | LOCK_NB))
    } catch {
      guard case .other(let cause) = error.problem, cause.code == EWOULDBLOCK else { throw error }
      return .held(LockHolder(path))
    }
  }

  /// Who holds a lock, as far as its file tells; the lock itself is left alone.
  ///
  /// A holder that died may be named too, where another process has its number by now.
  public static func holder(of path: String) -> LockHolder {
    LockHolder(path)
  }

  /// Waits for the lock on the calling thread.
  static func acquireBlocking(_ path: String, clock: WallClock) throws(FileFailure) -> FileLock {
    try acquire(path, clock, LOCK_EX)
  }

  private static func acquire(
    _ path: String, _ clock: WallClock, _ operation: Int32
  ) throws(FileFailure) -> FileLock {
    while true {
      let descriptor = try onPath(path) { () throws(SystemError) in
        // A pipe or terminal somebody put there must neither make us wait nor become ours.
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        return try Descriptor.open(path, flags, permissions: 0o600)
      }
      try seeThatItIsLockFile(descriptor, path)
      _ = try onPath(path) { () throws(SystemError) in try descriptor.call { flock($0, operation) } }
      // Somebody may have removed the file meanwhile; then ours is a lock that nobody else sees.
      let isLock = try onPath(path) { () throws(SystemError) in try isStillThere(descriptor, at: path) }
      guard isLock else { continue }
      let text = "\(getpid())\n\(clock.now().rfc3339)\n"
      try onPath(path) { () throws(SystemError) in
        try descriptor.call { ftruncate($0, 0) }
        try descriptor.writeWhole(Array(text.utf8))
      }
      return FileLock(path: path, descriptor: descriptor)
    }
  }

  /// Refuses what is written to as it stands, and is not ours alone.
  private static func seeThatItIsLockFile(_ descriptor: Descriptor, _ path: String) throws(FileFailure) {
    let status = try onPath(path) { () throws(SystemError) in try FileStatus(descriptor) }
    guard status.kind == .file else { throw FileFailure(path: path, problem: .isSpecial) }
    try FileSafety.require(status, at: path)
    guard status.links <= 1 else { throw FileFailure(path: path, problem: .hasOtherNames) }
  }

  private static func isStillThere(_ descriptor: Descriptor, at path: String) throws(SystemError) -> Bool {
    let ours = try FileStatus(descriptor)
    do throws(SystemError) {
      let found = try FileStatus(path, following: false)
      return found.device == ours.device && found.inode == ours.inode
    } catch {
      guard error.code == ENOENT else { throw error }
      return false
    }
  }
}

/// What trying to take a lock came to.
public enum LockAttempt: Sendable {
  /// It is ours now.
  case acquired(FileLock)
  /// Another holds it.
  case held(LockHolder)
}

/// Who holds a lock, as far as its file tells.
public struct LockHolder: Hashable, Sendable {
  /// The process, if it can be seen from here.
  public let process: Int32?
  /// Since when.
  public let since: Instant?

  init(_ path: String) {
    // It is for a message only: a file that cannot be read or was half written names nobody.
    let status = try? FileStatus(path, following: false)
    let bytes = status?.kind == .file ? try? readFile(path, limit: ByteCount(256)) : nil
    let text = String(decoding: bytes ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n")
    // Another PID namespace's number means nothing here. EPERM is a process of another user's.
    process = lines.first.flatMap { Int32($0) }.flatMap { kill($0, 0) == 0 || errno == EPERM ? $0 : nil }
    since = lines.dropFirst().first.flatMap { Instant(rfc3339: String($0)) }
  }
}
