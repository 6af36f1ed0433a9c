// Placing: a complete partial file gets its final name, in steps after any of which the process may crash.

import CLinux
public import Core
import Glibc

extension DocumentsDirectory {
  /// Gives the partial file of a transfer the final name of its intent.
  ///
  /// The bytes are on the disk before the name, and the name before this returns. A partial file that does not match the intent's
  /// size, and its identity or checksum, is `partialLost`, unless the file was placed before, which is a success.
  public func place(_ placement: Placement) async throws(DocumentsProblem) -> PlaceOutcome {
    try await work { try open().place(placement) }
  }

  /// Whether the file of an intent has its final name after a crash; if so, the name is on the disk when this returns.
  ///
  /// The file is recognised by its size and its identity; if the identity differs, as for a copy or after devices were
  /// renumbered, by its checksum.
  public func isPlaced(_ placement: Placement) async throws(DocumentsProblem) -> Bool {
    try await work { try open().holds(placement.intent) }
  }

  /// Removes the remains of a placement that a dead process did not finish: an incomplete copy, and the empty file that
  /// reserves a name on file systems without a better way.
  public func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    // A file that cannot be removed is reported when it is in the way.
    try? await work {
      let documents = try open()
      guard let place = try documents.place(of: intent.name, making: false) else { return }
      let copy = TemporaryName.copy(of: transfer, mark: documents.mark)
      try? place.directory.remove(copy)
      guard !intent.replaces, intent.size > 0, let found = try? FileStatus(place.name, in: place.directory),
        found.kind == .file, found.size == 0, found.owner == geteuid()
      else { return }
      try? place.directory.remove(place.name)
    }
  }
}

extension OpenDocuments {
  fileprivate func place(_ placement: Placement) throws(DocumentsProblem) -> PlaceOutcome {
    let (transfer, intent) = (placement.transfer, placement.intent)
    let path = partialPath(transfer)
    guard let (part, status) = try partial(transfer), try part.is(intent, status, path: path) else {
      guard try holds(intent) else { throw .partialLost(path: path) }
      return .placed
    }
    part.setAttributes(modified: intent.modified)
    try onDocument(path) { try part.call { fsync($0) } }
    guard let place = try place(of: intent.name, making: true) else {
      // Another program has removed the directory again.
      throw .other(path: path, detail: SystemError(code: ENOENT).text)
    }
    let name = partialName(transfer)
    let isMoved: Bool?
    let hasName: Bool
    do throws(SystemError) {
      isMoved = try unless(EXDEV, in: parts.move(name, to: place.name, in: place.directory, intent))
      if let isMoved {
        hasName = isMoved
      } else {
        let copy = TemporaryName.copy(of: transfer, mark: mark)
        hasName = try place.directory.copy(part, as: copy, to: place.name, intent)
      }
    } catch {
      throw DocumentsProblem(naming: place.path, error)
    }
    // A crash may have left the file with both names.
    guard hasName || (try? FileStatus(place.name, in: place.directory))?.identity == status.identity else {
      return .nameTaken
    }
    do throws(SystemError) {
      try place.directory.synchronize()
    } catch {
      // The name may not survive a power cut. It is given back, so that the next attempt finds the partial file and a free
      // name; a file that was replaced stays lost.
      if isMoved == nil {
        try? place.directory.remove(place.name)
      } else if !intent.replaces {
        _ = try? place.directory.move(place.name, toNew: name, in: parts)
      }
      throw DocumentsProblem(naming: place.path, error)
    }
    try? parts.remove(name)
    return .placed
  }

  fileprivate func holds(_ intent: PlacementIntent) throws(DocumentsProblem) -> Bool {
    guard let place = try existingPlace(of: intent.name) else { return false }
    let found = try onDocument(place.path) {
      try place.directory.openRegular(place.name, O_RDONLY)
    }
    guard let (file, status) = found, try file.is(intent, status, path: place.path) else { return false }
    try onDocument(place.path) { try place.directory.synchronize() }
    return true
  }
}

extension Descriptor {
  /// Whether an open file is the file of an intent.
  func `is`(
    _ intent: PlacementIntent, _ status: FileStatus, path: String
  ) throws(DocumentsProblem) -> Bool {
    guard status.size == intent.size else { return false }
    if status.identity == intent.identity { return true }
    return try sha256(of: self, path: path) == intent.sha256
  }

  /// Moves a file of this directory to the name of its intent in another one; false if the name is taken.
  fileprivate func move(
    _ name: String, to newName: String, in other: Descriptor, _ intent: PlacementIntent
  ) throws(SystemError) -> Bool {
    intent.replaces
      ? try move(name, replacing: newName, in: other) : try move(name, toNew: newName, in: other)
  }

  /// Gives a copy of a file from another file system a name in this directory; false if the name is taken.
  ///
  /// The copy is complete and on the disk before it gets the name.
  fileprivate func copy(
    _ part: Descriptor, as copy: String, to name: String, _ intent: PlacementIntent
  ) throws(SystemError) -> Bool {
    try remove(copy)
    var hasName = false
    try withTemporaryFile(copy, permissions: 0o600) { temporary, file throws(SystemError) in
      try file.append(contentsOf: part)
      file.setAttributes(modified: intent.modified)
      try file.call { fsync($0) }
      hasName = try move(temporary, to: name, in: self, intent)
      if !hasName { try? remove(temporary) }
    }
    return hasName
  }

  /// Appends all bytes of another file.
  private func append(contentsOf other: Descriptor) throws(SystemError) {
    var offset: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let read = try other.read(into: &buffer, buffer.count, at: offset)
      guard read > 0 else { return }
      try writeWhole(Array(buffer[..<read]))
      offset += Int64(read)
    }
  }
}

/// The ways to give a file a name without replacing another file, the best first.
enum NamingWay: CaseIterable {
  /// renameat2(2) in one step.
  case rename
  /// link(2) and unlink(2), for file systems without renameat2(2): NFS, and FUSE with links.
  case link
  /// An empty file that reserves the name and is replaced at once, for FUSE without links. A process killed in between
  /// leaves it empty; the name never has a part of a file, and no other program's file is replaced.
  case placeholder
}

extension Descriptor {
  /// Moves a file of this directory to a free name in another one; false if the name is taken.
  ///
  /// Throws `EXDEV` if that is on another file system. The name is on the disk when the directory is synchronised.
  func move(
    _ name: String, toNew newName: String, in other: Descriptor, ways: [NamingWay] = NamingWay.allCases
  ) throws(SystemError) -> Bool {
    var refusal = SystemError(code: ENOTSUP)
    for way in ways {
      do throws(SystemError) {
        try move(name, toNew: newName, in: other, by: way)
        return true
      } catch {
        if error.code == EEXIST { return false }
        // The errors of kernels and file systems without this way; EPERM for links, and from filters of old containers.
        guard [EINVAL, ENOSYS, ENOTSUP, EPERM, EMLINK].contains(error.code) else { throw error }
        refusal = error
      }
    }
    throw refusal
  }

  private func move(
    _ name: String, toNew newName: String, in other: Descriptor, by way: NamingWay
  ) throws(SystemError) {
    switch way {
    case .rename:
      try call { from in other.borrow { bgfetch_rename_to_new(from, name, $0, newName) } }
    case .link:
      try call { from in other.borrow { linkat(from, name, $0, newName, 0) } }
      // If the old name stays, a later run removes it as an unknown partial file.
      try? remove(name)
    case .placeholder:
      // Closed before it is replaced: FUSE would keep an open file under another name.
      _ = try other.open(newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
      do throws(SystemError) {
        try rename(name, to: newName, in: other)
      } catch {
        try? other.remove(newName)
        throw error
      }
    }
  }

  /// Moves a file of this directory to a name in another one, replacing a regular file; false if something else has it.
  func move(_ name: String, replacing newName: String, in other: Descriptor) throws(SystemError) -> Bool {
    guard let status = try FileStatus.existing(newName, in: other) else {
      return try move(name, toNew: newName, in: other)
    }
    guard status.kind == .file else { return false }
    try rename(name, to: newName, in: other)
    return true
  }

  private func rename(_ name: String, to newName: String, in other: Descriptor) throws(SystemError) {
    try call { from in other.borrow { renameat(from, name, $0, newName) } }
  }
}
