// Making the copy of the catalog anew: the lines of the old one and the changes since, both in the order of names.

public import Core
import Glibc

extension CatalogCopy {
  /// Replaces the copy by one of a newer version.
  ///
  /// - Parameters:
  ///   - path: the file; the caller holds a lock for it.
  ///   - old: the copy to change; nil makes a new one, of all feeds.
  ///   - mark: the store.
  ///   - version: the version that the changes lead to.
  ///   - changes: the changes after a name, in the order of names, and the name for the next call; nil at the end.
  /// - Returns: false, without a change, if the old copy is damaged.
  public static func replace(
    _ path: String, old: CatalogCopy?, mark: String, version: Int64,
    changes: (_ after: String?) async throws -> (changes: [CatalogChange], end: String?)
  ) async throws -> Bool {
    try FileSafety.require(path)
    var writer = try CatalogWriter(path, first: "\(format) \(mark) \(version)\n")
    defer { writer.discard() }
    var lines = CatalogLines(old)
    var last: String?
    while true {
      let (part, end) = try await changes(last)
      for change in part {
        while let line = lines.next(before: change.name) { try writer.add(line) }
        lines.skip(change.name)
        if let feed = change.feed { try writer.add(CatalogLine(of: feed)) }
      }
      guard let end else { break }
      last = end
    }
    while let line = lines.next(before: nil) { try writer.add(line) }
    guard lines.areWhole else { return false }
    try writer.finish()
    return true
  }
}

/// A line of a copy, with its end.
private struct CatalogLine {
  let bytes: ArraySlice<UInt8>

  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.contains(UInt8(ascii: "\t")) else { return nil }
    self.bytes = bytes
  }

  init(of feed: CatalogFeed) { bytes = Array(CatalogCopy.line(of: feed).utf8)[...] }

  var name: ArraySlice<UInt8> { bytes.prefix { $0 != UInt8(ascii: "\t") } }
}

/// The lines of an old copy, in their order.
private struct CatalogLines {
  private let copy: CatalogCopy?
  private var block = 0
  private var rest: ArraySlice<UInt8> = []
  private var current: CatalogLine?
  private var count = 0
  private var isDamaged = false

  init(_ copy: CatalogCopy?) {
    self.copy = copy
    advance()
  }

  /// Whether the copy had as many lines as it should, in the order of their names; at the end.
  var areWhole: Bool { !isDamaged && count == copy?.count ?? 0 }

  /// The next line if its name comes before another one; nil means any.
  mutating func next(before name: FeedName?) -> CatalogLine? {
    guard let line = current, name.map({ line.name.lexicographicallyPrecedes($0.text.utf8) }) ?? true else {
      return nil
    }
    advance()
    return line
  }

  /// Leaves the line of a name out.
  mutating func skip(_ name: FeedName) {
    if let line = current, line.name.elementsEqual(name.text.utf8) { advance() }
  }

  private mutating func advance() {
    while rest.isEmpty, let copy, block < copy.blockCount {
      rest = copy.bytes(ofBlock: block)[...]
      block += 1
    }
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return current = nil }
    let line = CatalogLine(rest[...end])
    rest = rest[(end + 1)...]
    count += 1
    isDamaged = isDamaged || line == nil
    if let line, let former = current, !former.name.lexicographicallyPrecedes(line.name) { isDamaged = true }
    current = line
  }
}

/// A copy that is being written, beside the one that it replaces.
private struct CatalogWriter {
  private let path: String
  private let temporary: String
  private let file: Descriptor
  private var waiting: [UInt8] = []
  private var offset: Int64 = 0
  private var count = 0
  private var fingerprint: UInt64 = 0
  private var blocks: [UInt8] = []

  init(_ path: String, first line: String) throws(FileFailure) {
    self.path = path
    temporary = path + ".new"
    file = try onPath(temporary) { [temporary] () throws(SystemError) in
      try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, permissions: 0o600)
    }
    try write(line.utf8)
  }

  mutating func add(_ line: CatalogLine) throws(FileFailure) {
    if count % CatalogCopy.blockSize == 0 {
      blocks += Array("\(offset) ".utf8) + line.name + [UInt8(ascii: "\n")]
    }
    count += 1
    fingerprint &+= Fingerprint(of: String(decoding: line.name, as: UTF8.self)).value
    try write(line.bytes)
  }

  /// Gives the file its name.
  ///
  /// Nothing waits for the disk: a copy that a power cut has damaged is not used.
  mutating func finish() throws(FileFailure) {
    let end = offset
    waiting += blocks
    try write("\(count) \(fingerprint) \(end)\n".utf8)
    try flush()
    try onPath(path) { [temporary, path] () throws(SystemError) in
      _ = try systemCall { rename(temporary, path) }
    }
  }

  /// Removes the file, unless it has its name.
  func discard() { unlink(temporary) }

  private mutating func write(_ line: some Collection<UInt8>) throws(FileFailure) {
    waiting.append(contentsOf: line)
    offset += Int64(line.count)
    if waiting.count >= 1 << 18 { try flush() }
  }

  private mutating func flush() throws(FileFailure) {
    let bytes = waiting
    waiting = []
    try onPath(temporary) { [file] () throws(SystemError) in try file.writeWhole(bytes) }
  }
}
