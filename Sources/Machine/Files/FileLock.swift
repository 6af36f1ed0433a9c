// Locks that live in a file and end with their process.

public import Core
import Glibc
import Synchronization

/// A lock that this process holds until it releases it or ends (flock(2)).
///
/// The file names its holder, for messages. It is never deleted: a waiting process would then get a lock on a file that no
/// other process finds. Children do not inherit the lock.
public final class FileLock: Sendable {
  public let path: String
  private let descriptor: Mutex<Descriptor?>

  private init(path: String, descriptor: Descriptor) {
    self.path = path
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    release()
  }

  /// Whether the path still leads to the locked file; false after the file or its directory was replaced.
  public var isInPlace: Bool {
    guard let held = descriptor.withLock({ $0 }) else { return false }
    return (try? Self.isStillThere(held, at: path)) ?? false
  }

  /// Releases the lock; does nothing the second time.
  public func release() {
    guard let held = descriptor.withLock({ $0.take() }) else { return }
    // Emptied first, so that no message names this process after the next one has the lock.
    held.borrow { _ = ftruncate($0, 0) }
    // Closing alone is not enough: a child has a copy of the descriptor until its exec.
    held.borrow { _ = flock($0, LOCK_UN) }
  }

  /// Waits until the lock is free and takes it; nil if it is not free within the patience.
  ///
  /// - Throws: `FileFailure`; `CancellationError`.
  public static func acquire(
    _ path: String, clock: WallClock, patience: Duration? = nil
  ) async throws -> FileLock? {
    let end = patience.map { SuspendingClock.now + $0 }
    while true {
      if let lock = try tryAcquire(path, clock: clock) { return lock }
      if let end, end <= .now { return nil }
      // A thread that waits in flock(2) could not be woken without a race.
      try await WallClock.sleep(for: .milliseconds(20))
    }
  }

  /// Takes the lock if it is free; never waits.
  ///
  /// - Parameters:
  ///   - path: the file, created with 0600 if it is missing; its directory must exist.
  ///   - clock: for the time of locking, which is written to the file.
  /// - Returns: the lock; nil if another process holds it.
  /// - Throws: why the file cannot be created or locked.
  public static func tryAcquire(_ path: String, clock: WallClock) throws(FileFailure) -> FileLock? {
    while true {
      // A pipe or terminal at this path must not block us, nor become our controlling terminal.
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      let descriptor = try onPath(path, Descriptor.open(path, flags, permissions: 0o600))
      try requireLockFile(descriptor, path)
      let locked = try onPath(
        path, unless(EWOULDBLOCK, in: descriptor.call { flock($0, LOCK_EX | LOCK_NB) }))
      guard locked != nil else { return nil }
      // If the file was removed meanwhile, no other process sees our lock.
      guard try onPath(path, isStillThere(descriptor, at: path)) else { continue }
      try onPath(path, descriptor.call { ftruncate($0, 0) })
      try onPath(path, descriptor.writeWhole(Array("\(getpid())\n\(clock.now().rfc3339)\n".utf8)))
      return FileLock(path: path, descriptor: descriptor)
    }
  }

  /// Refuses a file that is not private to this user: it is about to be overwritten.
  private static func requireLockFile(_ descriptor: Descriptor, _ path: String) throws(FileFailure) {
    let status = try onPath(path, FileStatus(descriptor))
    guard status.kind == .file else { throw FileFailure(path: path, problem: .isSpecial) }
    try FileSafety.require(status, at: path)
    guard status.links <= 1 else { throw FileFailure(path: path, problem: .hasOtherNames) }
  }

  private static func isStillThere(_ descriptor: Descriptor, at path: String) throws(SystemError) -> Bool {
    let ours = try FileStatus(descriptor)
    let found = try unless(ENOENT, in: FileStatus(path, following: false))
    return found?.identity == ours.identity
  }
}

/// The holder of a lock according to its file.
///
/// A dead process may be named if another process has its number now.
public struct LockHolder: Equatable, Sendable {
  /// The process; nil if it cannot be seen from here.
  public let process: Int32?
  public let since: Instant?

  /// The holder of the lock at a path.
  public init(_ path: String) {
    // For a message only: a file that cannot be read, or is half written, names no process.
    let status = try? FileStatus(path, following: false)
    let bytes = status?.kind == .file ? try? readFile(path, limit: ByteCount(256)) : nil
    let text = String(decoding: bytes ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n")
    // A number of another PID namespace means nothing here. EPERM means a process of another user.
    process = lines.first.flatMap { Int32($0) }.flatMap { kill($0, 0) == 0 || errno == EPERM ? $0 : nil }
    since = lines.dropFirst().first.flatMap { Instant(rfc3339: String($0)) }
  }
}
