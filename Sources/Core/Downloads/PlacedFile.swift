// Files of transfers: to be placed, uploaded or counted, under their final names, and which of those retention removes.

/// The body of a request, which is read while it is sent, with its SHA-256.
public struct UploadBody: Sendable {
  public let size: Int64
  public let sha256: String
  /// Fills a buffer with the bytes from an offset on; returns their number, or -1 if they cannot be read.
  ///
  /// libcurl's thread calls it.
  public let read: @Sendable (UnsafeMutableRawBufferPointer, Int64) -> Int

  public init(
    size: Int64, sha256: String, read: @escaping @Sendable (UnsafeMutableRawBufferPointer, Int64) -> Int
  ) {
    (self.size, self.sha256, self.read) = (size, sha256, read)
  }
}

/// A number of bytes with their SHA-256.
public struct DigestedBytes: Sendable {
  public var bytes: Int64
  /// Meaningless if there are no bytes.
  public var sha256: String

  public init(bytes: Int64, sha256: String) {
    (self.bytes, self.sha256) = (bytes, sha256)
  }
}

/// A complete partial file that is to get its final name.
public struct Placement: Sendable {
  public let transfer: Int64
  public let intent: PlacementIntent

  public init(_ transfer: Int64, _ intent: PlacementIntent) {
    (self.transfer, self.intent) = (transfer, intent)
  }
}

/// The result of giving a file its final name.
public enum PlaceOutcome: Sendable {
  /// The file has its final name, and keeps it after a power cut.
  case placed
  /// Another file has the name; the caller chooses another name.
  case nameTaken
}

/// A file that counts for `keep`, placed or queued; the order is by age, the oldest first.
public struct CountedFile: Comparable, Sendable {
  let transfer: Int64
  /// The number of the item, which ascends with time; 0 without one.
  public var item: Int64 = 0
  /// The file's place in its item, counted from 1.
  public var index = 1
  /// The date for order and age.
  public let date: Instant
  /// The size in bytes; nil while no server has said it.
  public var size: Int64?
  /// The size in the document, which is often wrong.
  public var claimedSize: Int64?
  /// Whether `keep` ignores the file, because the person asked for it, or its item has a star.
  public var isExempt = false

  init(transfer: Int64, date: Instant, size: Int64? = nil) {
    (self.transfer, self.date, self.size) = (transfer, date, size)
  }

  /// A file that counts by the date of its item, or by its arrival if the item has no date or an impossible one.
  public init(transfer: Int64, published: Instant?, arrived: Instant, size: Int64? = nil) {
    // A wrong clock may have recorded the arrival.
    let isKnown = arrived >= ClockTrust.oldest
    let isPossible =
      published.map { $0 >= Self.earliestDate && (!isKnown || $0 <= arrived + .days(1)) } ?? false
    self.init(transfer: transfer, date: isPossible ? published ?? arrived : arrived, size: size)
  }

  /// 1990: nothing on the web is older.
  private static let earliestDate = Instant(secondsSince1970: 631_152_000)

  public static func < (left: CountedFile, right: CountedFile) -> Bool {
    (left.date, left.item, -left.index, left.transfer)
      < (right.date, right.item, -right.index, right.transfer)
  }
}

/// A placed file with its transfer.
public struct PlacedTransfer: Sendable {
  public var counted: CountedFile
  public var file: PlacedFile

  public var transfer: Int64 { counted.transfer }

  public init(_ counted: CountedFile, file: PlacedFile) {
    (self.counted, self.file) = (counted, file)
  }
}

/// Everything decided about a file before it gets its final name, so that the next process can finish after a crash.
public struct PlacementIntent: Equatable, Sendable {
  /// The documents directory, an absolute path.
  public var directory: String
  /// The final name, a path below the directory.
  public var name: String
  /// The size in bytes.
  public var size: Int64
  /// 64 hexadecimal digits in lower case.
  public var sha256: String
  /// The date that the file gets; nil for the present one.
  public var modified: Instant?
  /// The identity of the partial file, which distinguishes it from another file of that name after a crash.
  public var identity: FileIdentity
  /// Whether the file replaces the feed's own earlier file of that name.
  public var replaces = false

  public init(
    directory: String, name: String, size: Int64, sha256: String, modified: Instant?, identity: FileIdentity
  ) {
    (self.directory, self.name, self.size, self.sha256) = (directory, name, size, sha256)
    (self.modified, self.identity) = (modified, identity)
  }
}

/// The device and inode number, which identify a file on the machine (inode(7)).
public struct FileIdentity: Equatable, Sendable {
  public var device: UInt64
  public var inode: UInt64

  public init(device: UInt64, inode: UInt64) {
    (self.device, self.inode) = (device, inode)
  }
}

/// A file under its final name.
public struct PlacedFile: Equatable, Sendable {
  /// The documents directory.
  public var directory: String
  /// The path below the directory.
  public var name: String
  /// The size in bytes.
  public var size: Int64
  public var sha256: String
  public var placed: Instant
  /// When `keep` removed the file, or it was found to be gone.
  public var removed: Instant?

  public init(directory: String, name: String, size: Int64, sha256: String, placed: Instant) {
    (self.directory, self.name, self.size, self.sha256, self.placed) = (directory, name, size, sha256, placed)
  }

  /// The whole path, or the address of an object.
  public var path: String { documentPath(directory, name) }
}

/// The files of a feed that `keep` does not retain, the oldest first.
///
/// The newest file always stays. From there on files stay until the first one beyond a bound; that one and all older
/// files go. Files that the person asked for, and those of items with a star, stay and do not count.
///
/// - Parameters:
///   - files: all placed files of the feed that were not removed, in any order.
///   - keep: the bounds.
///   - now: the moment for ages.
/// - Returns: the files to remove.
public func filesToRemove(_ files: [PlacedTransfer], keep: KeepRule, at now: Instant) -> [PlacedTransfer] {
  let bounds = filesBeyond(keep, files.map(\.counted), at: now)
  return zip(files, bounds).filter { $0.1 != nil }.map(\.0).sorted { $0.counted < $1.counted }
}

/// The bound of `keep` beyond which a queued file would be as soon as it is downloaded; nil if it would stay.
///
/// - Parameters:
///   - transfer: the transfer of the file.
///   - files: the feed's files that are on the disk or queued, with this one.
///   - keep: the bounds.
///   - now: the moment for ages.
/// - Returns: the bound.
public func omission(
  of transfer: Int64, among files: [CountedFile], keep: KeepRule, at now: Instant
) -> OmissionRule? {
  zip(files, filesBeyond(keep, withGuessedSizes(files), at: now)).first { $0.0.transfer == transfer }?.1
}

/// Files with guesses of the sizes that no server has said: the average of the others, else what the document claims.
func withGuessedSizes(_ files: [CountedFile]) -> [CountedFile] {
  let sizes = files.compactMap(\.size)
  let average = sizes.isEmpty ? nil : sizes.reduce(0) { $0 + $1 / Int64(sizes.count) }
  return files.map { file in
    var copy = file
    copy.size = file.size ?? average ?? file.claimedSize
    return copy
  }
}

/// For each file `keep` if it is beyond one of its bounds, or nil if the file stays; an unknown size is 0.
func filesBeyond(_ keep: KeepRule, _ files: [CountedFile], at now: Instant) -> [OmissionRule?] {
  var beyond: [OmissionRule?] = files.map { _ in nil }
  guard !keep.keepsAll else { return beyond }
  var size: Int64 = 0
  var isReached = false
  let counted = files.indices.filter { !files[$0].isExempt }
  for (count, place) in counted.sorted(by: { files[$0] > files[$1] }).enumerated() {
    let (sum, overflow) = size.addingReportingOverflow(max(0, files[place].size ?? 0))
    size = overflow ? .max : sum
    guard count > 0 else { continue }
    if let most = keep.count, count >= most { isReached = true }
    if let most = keep.size, overflow || size > most.bytes { isReached = true }
    if let age = keep.age, files[place].date < now - age { isReached = true }
    beyond[place] = isReached ? .keep : nil
  }
  return beyond
}
