// Reading a file that is a feed: only when it changed, and never on a thread that others need.

public import Core
import Glibc
import Synchronization

/// What a feed's file holds.
public enum FeedFileContent: Hashable, Sendable {
  /// What it held under the tag that was given.
  case unchanged
  /// These bytes; under the tag they are known again, nil if the file changed only just now.
  case content([UInt8], tag: String?)
}

/// Reads a regular file, unless it is the one of a tag; symbolic links are followed.
///
/// A tag says which file it was, how long, and when it last changed, as `make` and `git` tell files apart. File systems
/// count time in steps of up to two seconds (FAT), so a file that changed just now gets no tag: a second change
/// in the same step could not be seen. Devices, pipes, sockets and directories are errors, and none is waited for; so is
/// what another user may have put there (`FileSafety`).
///
/// - Parameters:
///   - path: the file.
///   - limit: the most bytes that are read.
///   - tag: that of the last content, nil if there is none.
/// - Returns: the content or why there is none; nil if the task was cancelled first, as on a file system that hangs.
public func readFeedFile(
  _ path: String, limit: ByteCount, unlessTagged tag: String?
) async -> Result<FeedFileContent, FileFailure>? {
  let reading = Reading()
  return await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      reading.begin(continuation)
      do throws(SystemError) {
        try startThread {
          do throws(FileFailure) {
            reading.end(.success(try content(of: path, limit: limit, unlessTagged: tag)))
          } catch {
            reading.end(.failure(error))
          }
        }
      } catch {
        reading.end(.failure(FileFailure(path, error)))
      }
    }
  } onCancel: {
    reading.end(nil)
  }
}

private func content(
  of path: String, limit: ByteCount, unlessTagged tag: String?
) throws(FileFailure) -> FeedFileContent {
  try FileSafety.require(path)
  // A pipe without a writer would hold up whoever opens it.
  let file = try onPath(path) { () throws(SystemError) in
    try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }
  let status = try onPath(path) { () throws(SystemError) in try FileStatus(file) }
  guard status.kind != .directory else { throw FileFailure(path: path, problem: .isDirectory) }
  guard status.kind == .file else { throw FileFailure(path: path, problem: .isSpecial) }
  guard status.size <= limit.bytes else { throw FileFailure(path: path, problem: .tooLarge(limit: limit)) }
  let found =
    "\(status.device)-\(status.inode)-\(status.size)-\(status.modified.seconds).\(status.modified.nanoseconds)"
  if found == tag { return .unchanged }
  let isSettled = status.modified.seconds < time(nil) - 2
  return .content(try readAll(file, path: path, limit: limit), tag: isSettled ? found : nil)
}

/// The end of one reading, which a thread and a cancelled task may both want to be.
private final class Reading: Sendable {
  typealias Outcome = Result<FeedFileContent, FileFailure>?
  private enum State {
    case notBegun
    case waiting(CheckedContinuation<Outcome, Never>)
    case ended
  }
  private let state = Mutex(State.notBegun)

  /// Notes who waits; one who comes after the end gets nothing.
  func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
    let isLate = state.withLock { state in
      if case .ended = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isLate { continuation.resume(returning: nil) }
  }

  /// Ends it, if it has not ended before.
  func end(_ outcome: Outcome) {
    let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      defer { state = .ended }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume(returning: outcome)
  }
}
