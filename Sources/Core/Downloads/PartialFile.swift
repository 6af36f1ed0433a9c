// A partial file while it is open. Host has the real one.

/// A partial file that is open for writing; closed when nothing holds on to it any more.
///
/// Written to by libcurl's thread, synchronised and asked by others.
public protocol PartialFile: AnyObject, Sendable {
  /// How many bytes it holds.
  var size: Int64 { get }
  /// Its device and inode.
  var identity: FileIdentity { get }
  /// Adds bytes at the end, all of them unless it throws, and updates the checksum.
  func append(_ bytes: UnsafeRawBufferPointer) throws(DocumentsProblem)
  /// Cuts the file back to nothing.
  func restart() throws(DocumentsProblem)
  /// Writes the file's bytes to the disk (fdatasync(2)); returns those that are safe, which may be fewer than the file
  /// has by then.
  func synchronize() async throws(DocumentsProblem) -> DigestedBytes
  /// The SHA-256 of the file, 64 hexadecimal digits in lower case.
  ///
  /// The first call reads the bytes that an earlier run left; it returns nil if the task is cancelled meanwhile.
  func sha256() async throws(DocumentsProblem) -> String?
}

/// What a file holds, or what of it is safely on its file system, with its checksum.
public struct DigestedBytes: Hashable, Sendable {
  /// How many bytes.
  public var bytes: Int64
  /// Their SHA-256; it means nothing where there are none.
  public var sha256: String

  /// Bytes with their checksum.
  public init(bytes: Int64, sha256: String) {
    self.bytes = bytes
    self.sha256 = sha256
  }
}

/// How placing a file ended.
public enum PlaceOutcome: Hashable, Sendable {
  /// It has its final name, and that survives a power cut.
  case placed
  /// The name is taken by another file: another one is to be chosen.
  case nameTaken
}

/// A placed file with the transfer that brought it.
public struct PlacedTransfer: Hashable, Sendable {
  /// The transfer.
  public var transfer: Int64
  /// The file.
  public var file: PlacedFile
  /// The date of its item, or when it was placed: what `keep` goes by.
  public var date: Instant

  /// A placed file of a transfer.
  public init(transfer: Int64, file: PlacedFile, date: Instant) {
    self.transfer = transfer
    self.file = file
    self.date = date
  }
}
