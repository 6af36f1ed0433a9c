// Files that have their final names: whether a name is free, whether a file is there, and removing it.

public import Core
import Glibc

extension DocumentsDirectory {
  /// Whether anything has a name, without regard to case and to how accents are written (Unicode's canonical equivalence):
  /// to many file systems such names are one.
  ///
  /// Where one of its directories is something else, that is a problem: `directoryTaken`, or `linkOnTheWay`.
  public func isTaken(_ name: String) async -> Result<Bool, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      guard let place = try open().place(of: name, making: false) else { return false }
      if (try? FileStatus(place.name, in: place.directory)) != nil { return true }
      var folded = FoldedName(place.name)
      return !place.directory.names { folded.isName($0) }.isEmpty
    }
  }

  /// Removes a placed file, and the directories below this one that are empty then; false if it was not there any more, or
  /// is another file by now: a link, a directory, or of another size, unless that may have been changed.
  ///
  /// While the directory itself is gone nothing is known of the file, and that is a problem.
  public func remove(
    _ file: PlacedFile, ofAnySize isOfAnySize: Bool = false
  ) async -> Result<Bool, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      let documents = try open()
      guard let place = try documents.whereIs(file, ofAnySize: isOfAnySize) else { return false }
      try onDocument(place.path) { () throws(SystemError) in
        try place.directory.remove(place.name)
        try place.directory.synchronize()
      }
      documents.removeEmptyDirectories(above: file.name)
      return true
    }
  }

  /// Whether a placed file is still there, a regular file of its size or, where that may have been changed, of any; while nothing can be known of it, as when the
  /// directory is gone, it counts as there.
  public func exists(_ file: PlacedFile, ofAnySize isOfAnySize: Bool = false) async -> Bool {
    let found = await work { () throws(DocumentsProblem) in
      try open().whereIs(file, ofAnySize: isOfAnySize) != nil
    }
    return (try? found.get()) ?? true
  }
}

extension OpenDocuments {
  /// Where a placed file is; nil if it is not there any more, or something else is.
  fileprivate func whereIs(
    _ file: PlacedFile, ofAnySize isOfAnySize: Bool
  ) throws(DocumentsProblem) -> OpenPlace? {
    guard let found = try existingPlace(of: file.name) else { return nil }
    do throws(SystemError) {
      let status = try FileStatus(found.name, in: found.directory)
      return status.kind == .file && (isOfAnySize || status.size == file.size) ? found : nil
    } catch {
      guard error.code == ENOENT else { throw DocumentsProblem(found.path, error) }
      return nil
    }
  }
}

/// A name as file systems without regard to case see it.
private struct FoldedName {
  private let name: String
  private let bytes: [UInt8]
  /// Made only where it is needed, which is seldom.
  private lazy var text = caseless(name)

  init(_ name: String) {
    self.name = name
    bytes = name.utf8.map(asciiLowercased)
  }

  /// Whether another name is the same, in whatever way its accents are written: Swift compares texts by canonical
  /// equivalence.
  mutating func isName(_ other: String) -> Bool {
    var other = other
    return other.withUTF8(isName) ?? (caseless(other) == text)
  }

  /// Whether the bytes of another name tell that it is the same; nil where they do not.
  ///
  /// Most names of a large directory are told apart by their first bytes: two letters, digits or signs of ASCII that stand
  /// in the same place are made one by no case and no accent, and none becomes nothing.
  private func isName(_ other: UnsafeBufferPointer<UInt8>) -> Bool? {
    let common = min(bytes.count, other.count)
    guard let place = (0..<common).first(where: { bytes[$0] != asciiLowercased(other[$0]) }) else {
      if bytes.count == other.count { return true }
      let next = bytes.count > common ? bytes[common] : other[common]
      return next < 0x80 ? false : nil
    }
    return bytes[place] < 0x80 && other[place] < 0x80 ? false : nil
  }
}
