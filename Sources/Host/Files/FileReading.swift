// Reading a whole file that must not be larger than expected.

public import Core
import Glibc

/// All bytes of a file, or the reason why not.
///
/// A pipe or device is read to its end like a file, so that `/dev/stdin` and a shell's `<(…)` work. Bytes
/// beyond the limit are an error, and no more than the limit is ever held in memory.
///
/// - Parameters:
///   - path: the file.
///   - limit: the most bytes.
///   - patience: how long a pipe or device may keep us waiting for its next bytes, as one without a writer does; nil
///     waits for ever, as for what a person types.
/// - Returns: the bytes.
/// - Throws: why there are none.
public func readFile(
  _ path: String, limit: ByteCount, patience: Duration? = .seconds(10)
) throws(FileFailure) -> [UInt8] {
  // Opening a pipe would wait for its writer.
  let file = try onPath(path) { () throws(SystemError) in
    try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }
  let status = try onPath(path) { () throws(SystemError) in try FileStatus(file) }
  guard status.kind != .directory else { throw FileFailure(path: path, problem: .isDirectory) }
  guard status.size <= Int(limit.bytes) else {
    throw FileFailure(path: path, problem: .tooLarge(limit: limit))
  }
  return try readAll(file, path: path, limit: limit) { () throws(FileFailure) in
    guard status.kind != .file else { return }
    let isReady = try onPath(path) { () throws(SystemError) in try file.hasSomethingToRead(within: patience) }
    guard isReady else {
      throw FileFailure(path: path, problem: .silent(seconds: patience?.components.seconds ?? 0))
    }
  }
}

/// All bytes of an open file from where it stands; `ready` returns when the next can be read.
func readAll(
  _ file: Descriptor, path: String, limit: ByteCount, ready: () throws(FileFailure) -> Void = {}
) throws(FileFailure) -> [UInt8] {
  let limitBytes = Int(limit.bytes)
  var bytes: [UInt8] = []
  while true {
    // One more than allowed, to tell a full file from one that is too large.
    let wanted = min(65_536, limitBytes - bytes.count + 1)
    try ready()
    let piece = try onPath(path) { () throws(SystemError) in try file.read(atMost: wanted) }
    if piece.isEmpty { return bytes }
    bytes += piece
    guard bytes.count <= limitBytes else { throw FileFailure(path: path, problem: .tooLarge(limit: limit)) }
  }
}

extension Descriptor {
  /// Waits until there are bytes, or their end, and says whether that came in time; nil waits for ever.
  fileprivate func hasSomethingToRead(within patience: Duration?) throws(SystemError) -> Bool {
    let milliseconds = patience.map { Int32(min($0 / .milliseconds(1), 1e9)) } ?? -1
    return try call { number in
      var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, milliseconds)
    } > 0
  }
}
