// Reads whole files up to a limit: configurations, feeds that are files, standard input.

public import Core
import Glibc

/// Reads all bytes of a file.
///
/// A pipe or device is read to its end like a file, so that `/dev/stdin` and a shell's `<(…)` work. A file with more bytes
/// than the limit is an error, and no more than the limit is held in memory.
///
/// - Parameters:
///   - path: the file.
///   - limit: the most bytes.
///   - patience: the seconds to wait for the next bytes of a pipe or device, which may have no writer; nil waits forever, as
///     for text that a person types.
/// - Returns: the bytes.
/// - Throws: why the file cannot be read.
public func readFile(
  _ path: String, limit: ByteCount, patience: Int32? = 10
) throws(FileFailure) -> [UInt8] {
  let (file, status) = try openToRead(path)
  return try readAll(file, status, path: path, limit: limit, patience: patience)
}

/// Opens anything but a directory, without waiting for the writer of a pipe.
private func openToRead(_ path: String) throws(FileFailure) -> (Descriptor, FileStatus) {
  let file = try onPath(path, Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY))
  let status = try onPath(path, FileStatus(file))
  guard status.kind != .directory else { throw FileFailure(path: path, problem: .isDirectory) }
  return (file, status)
}

/// Reads the rest of an open file, and waits for the bytes of a pipe or device.
private func readAll(
  _ file: Descriptor, _ status: FileStatus, path: String, limit: ByteCount, patience: Int32?
) throws(FileFailure) -> [UInt8] {
  let (size, limitBytes) = (Int(status.size), Int(limit.bytes))
  var bytes: [UInt8] = []
  while max(size, bytes.count) <= limitBytes {
    // One byte more than allowed distinguishes a file at the limit from a longer one.
    let wanted = min(max(65_536, size - bytes.count), limitBytes - bytes.count + 1)
    if status.kind != .file {
      let isReady = try onPath(
        path,
        file.borrow { number throws(SystemError) in
          try waitUntil(POLLIN, on: number, atMost: patience.map { $0 * 1000 } ?? -1)
        })
      guard isReady else { throw FileFailure(path: path, problem: .silent(seconds: patience ?? 0)) }
    }
    let piece = try onPath(path, file.read(atMost: wanted))
    if piece.isEmpty { return bytes }
    if bytes.isEmpty { bytes = piece } else { bytes += piece }
  }
  throw FileFailure(path: path, problem: .tooLarge(limit: limit))
}

// MARK: Feeds that are files

/// The content of a feed's file.
public enum FeedFileContent: Equatable, Sendable {
  /// The content is the same as under the given tag.
  case unchanged
  /// The bytes and their tag; no tag if the file changed only just now.
  case content([UInt8], tag: String?)
}

/// Reads a regular file, unless it still has the given tag; symbolic links are followed.
///
/// A tag is made of inode, size and modification time, as `make` and `git` tell files apart. File systems count time in
/// steps of up to two seconds (FAT), so a file that changed just now gets no tag: a second change in the same step would
/// go unnoticed. Devices, pipes, sockets and directories are errors, and so is a file that another user may have put there
/// (`FileSafety`).
///
/// - Parameters:
///   - path: the file.
///   - limit: the most bytes.
///   - tag: the tag of the last content.
/// - Returns: the content or why there is none; nil if the task was cancelled first, as on a file system that hangs.
public func readFeedFile(
  _ path: String, limit: ByteCount, unlessTagged tag: String?
) async -> Result<FeedFileContent, FileFailure>? {
  guard !Task.isCancelled else { return nil }
  // A file system may block the thread.
  return await workAside(patience: .zero) {
    Result { () throws(FileFailure) in try content(of: path, limit: limit, unlessTagged: tag) }
  }
}

private func content(
  of path: String, limit: ByteCount, unlessTagged tag: String?
) throws(FileFailure) -> FeedFileContent {
  try FileSafety.require(path)
  let (file, status) = try openToRead(path)
  guard status.kind == .file else { throw FileFailure(path: path, problem: .isSpecial) }
  let found =
    "\(status.identity.device)-\(status.identity.inode)-\(status.size)-\(status.modified.seconds).\(status.modified.nanoseconds)"
  if found == tag { return .unchanged }
  let isSettled = status.modified.seconds < time(nil) - 2
  return .content(
    try readAll(file, status, path: path, limit: limit, patience: nil), tag: isSettled ? found : nil)
}

// MARK: Standard input

/// Standard input, by its descriptor: a socket from systemd has no name that could be opened.
public enum StandardInput {
  /// Whether a person would have to type it.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads to the end, but at most `count` bytes.
  public static func read(atMost count: Int) throws(FileFailure) -> [UInt8] {
    let name = "standard input"
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      // The parent process may have left standard input in non-blocking mode.
      try onPath(name, waitUntil(POLLIN, on: STDIN_FILENO))
      let read = try onPath(
        name, systemCall { Glibc.read(STDIN_FILENO, &bytes[filled], count - filled) })
      guard read > 0 else { break }
      filled += read
    }
    return Array(bytes[..<filled])
  }
}
