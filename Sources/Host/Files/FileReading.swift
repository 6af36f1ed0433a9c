// Reading a whole file that must not be larger than expected.

import Glibc
public import Model

/// All bytes of a file, or the reason why not.
///
/// A pipe or device is read to its end like a file, so that `/dev/stdin` and a shell's `<(…)` work. Bytes
/// beyond the limit are an error, and no more than the limit is ever held in memory.
public func readFile(_ path: String, limit: ByteCount) throws(FileFailure) -> [UInt8] {
  let file = try onPath(path) { () throws(SystemError) in try Descriptor.open(path, O_RDONLY) }
  let status = try onPath(path) { () throws(SystemError) in try FileStatus(file) }
  guard status.kind != .directory else { throw FileFailure(path: path, problem: .isDirectory) }
  guard status.size <= Int(limit.bytes) else {
    throw FileFailure(path: path, problem: .tooLarge(limit: limit))
  }
  return try readAll(file, path: path, limit: limit)
}

/// All bytes of an open file from where it stands.
func readAll(_ file: Descriptor, path: String, limit: ByteCount) throws(FileFailure) -> [UInt8] {
  let limitBytes = Int(limit.bytes)
  var bytes: [UInt8] = []
  while true {
    // One more than allowed, to tell a full file from one that is too large.
    let wanted = min(65_536, limitBytes - bytes.count + 1)
    let piece = try onPath(path) { () throws(SystemError) in try file.read(atMost: wanted) }
    if piece.isEmpty { return bytes }
    bytes += piece
    guard bytes.count <= limitBytes else { throw FileFailure(path: path, problem: .tooLarge(limit: limit)) }
  }
}
