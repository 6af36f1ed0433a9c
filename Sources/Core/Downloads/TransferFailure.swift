// Why an attempt at a transfer brought no whole file. The words are Planning's business.

/// Why an attempt at a transfer brought no whole file.
public enum TransferFailure: Error, Hashable, Sendable {
  /// There was no whole answer, or one that is no file.
  case fetch(FetchFailure)
  /// The documents directory, or a file in it.
  case documents(DocumentsProblem)
  /// The document's address of the file is none of the web: it is relative to nothing, or that of a file.
  case noWebAddress
  /// A page where a file was expected; what it was taken for.
  case page(String)
  /// The answer had no byte.
  case empty
  /// Fewer bytes than the server or the document promised.
  case short(received: Int64, total: Int64)
  /// More bytes than the server promised.
  case overlong(total: Int64)
  /// A 206 that begins elsewhere, or is a part of a file of another size; what it said.
  case wrongRange(String)
  /// What is there already is of another version of the file.
  case changed(String)
  /// It is larger than `max-size`; the size, where the server said it.
  case tooLarge(limit: ByteCount, size: ByteCount?)
  /// The server compressed what was asked for plain; the coding.
  case encoded(String)
}

/// What can be the matter with a documents directory or a file in it; paths are absolute.
public enum DocumentsProblem: Error, Hashable, Sendable {
  /// The directory was there and is gone: a file system that is not mounted.
  case gone(path: String)
  /// The file system, or the user's quota on it, is full.
  case full(path: String)
  /// The file system has less room than `free-space` asks for.
  case belowFreeSpace(path: String, free: ByteCount, floor: ByteCount)
  /// It can only be read, the permissions do not allow it, or no file can be opened; the detail is the system's.
  case denied(path: String, detail: String)
  /// Another user owns the directory or something on the way to it; nil where every user may write it.
  case unsafe(path: String, owner: UInt32?)
  /// A symbolic link, or something that is no directory, is in the way to the directory or to its partial files.
  case inTheWay(path: String)
  /// A symbolic link is where a directory of a file's name would be.
  case linkOnTheWay(path: String)
  /// Something that is no directory has the name of a directory of a file's name; its place among them, from 0.
  case directoryTaken(path: String, level: Int)
  /// The file system does not take the name of a file or of a directory on the way to it; the detail is the system's.
  case nameRefused(path: String, detail: String)
  /// The partial file is not as it was left, or was removed.
  case partialLost(path: String)
  /// The file is larger than the file system allows (FAT: 4 GiB).
  case fileTooLarge(path: String)
  /// Anything else the system says.
  case other(path: String, detail: String)

  /// What is wrong where so many bytes more would leave the file system of a directory less room than the floor of
  /// `free-space`; nil where there is room.
  ///
  /// More bytes than an empty file system would have are too large: no waiting for room helps. A size of 0 is not known.
  public static func shortage(
    in directory: String, free: ByteCount, ofAll size: ByteCount = ByteCount(0), for bytes: Int64,
    floor: ByteCount
  ) -> DocumentsProblem? {
    if size.bytes > 0, bytes > size.bytes { return .fileTooLarge(path: directory) }
    guard free.bytes - max(0, bytes) < floor.bytes else { return nil }
    // Where there is more than the floor, the file is what there is no room for.
    let least =
      free < floor ? floor : ByteCount(floor.bytes.addingReportingOverflow(max(0, bytes)).partialValue)
    return .belowFreeSpace(path: directory, free: free, floor: least)
  }
}
