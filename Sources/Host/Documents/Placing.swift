// Placing: a whole partial file gets its final name, in steps each of which may be the last one before a crash.

public import Core
import Glibc

extension DocumentsDirectory {
  /// Gives the partial file of a transfer its final name, the way the intent says.
  ///
  /// The bytes are on the disk before the name is, and the name before this returns. A file that is not the intent's, by
  /// its size and its identity or checksum, is `partialLost`; where that was placed already, this is a success. Where the
  /// name lies on another file system than the directory, it is `belowFreeSpace` if a copy there would leave less room
  /// than the floor.
  public func place(
    _ transfer: Int64, _ intent: PlacementIntent, leaving floor: ByteCount = ByteCount(0)
  ) async -> Result<PlaceOutcome, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      // A directory on the way may be removed as empty between finding it and using it, by a file that another
      // transfer's `keep` removes; then it is made again. Who removes one has got on by one file, so that only somebody
      // else's doing can use up this many.
      for _ in 0..<1000 {
        if let outcome = try open().place(transfer, intent, leaving: floor) { return outcome }
      }
      throw .other(path: intent.directory + "/" + intent.name, detail: SystemError(code: ENOENT).text)
    }
  }

  /// Whether the file of an intent has its final name, after a crash; if so, it is on the disk when this returns.
  ///
  /// It is known by its size and its identity; where that is another, as for a copy or after devices were numbered anew,
  /// by its checksum.
  public func isPlaced(_ intent: PlacementIntent) async -> Result<Bool, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in try open().holds(intent) }
  }

  /// Removes what a process that died has left where it placed a file that is not there: a copy that is not whole, and
  /// the empty file that keeps a name where a file system has no better way.
  public func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    // What cannot be removed is found in the way and told then.
    _ = await work { () throws(DocumentsProblem) in
      let documents = try open()
      guard let place = try documents.place(of: intent.name, making: false) else { return }
      let copy = TemporaryName.copy(of: transfer, mark: documents.mark)
      place.directory.borrow { _ = unlinkat($0, copy, 0) }
      guard !intent.replaces, intent.size > 0, let found = try? FileStatus(place.name, in: place.directory),
        found.kind == .file, found.size == 0, found.owner == geteuid()
      else { return }
      place.directory.borrow { _ = unlinkat($0, place.name, 0) }
    }
  }
}

extension OpenDocuments {
  /// Places a file; nil if a directory on the way vanished meanwhile.
  fileprivate func place(
    _ transfer: Int64, _ intent: PlacementIntent, leaving floor: ByteCount
  ) throws(DocumentsProblem) -> PlaceOutcome? {
    let path = partialPath(transfer)
    guard let (part, status) = try partial(transfer), try part.is(intent, status, path: path) else {
      guard try holds(intent) else { throw .partialLost(path: path) }
      return .placed
    }
    guard let place = try place(of: intent.name, making: true) else { return nil }
    try onDocument(path) { () throws(SystemError) in try part.finish(modified: intent.modified) }
    do throws(SystemError) {
      let name = partialName(transfer)
      let hasName = try parts.move(name, to: place, intent)
      guard hasName else { return try finishLink(name, part, place) ? .placed : .nameTaken }
    } catch {
      switch error.code {
      case ENOENT: return nil
      case EXDEV:
        let copy = TemporaryName.copy(of: transfer, mark: mark)
        guard let hasName = try place.takeCopy(of: part, as: copy, intent, leaving: floor) else { return nil }
        guard hasName else { return .nameTaken }
        parts.borrow { _ = unlinkat($0, partialName(transfer), 0) }
      default:
        throw DocumentsProblem(naming: place.path, error, isWritable: place.directory.isWritableDirectory)
      }
    }
    try onDocument(place.path) { () throws(SystemError) in try place.directory.synchronize() }
    return .placed
  }

  /// Whether a name is taken by the very partial file, which a crash has left with both; then the old one goes.
  private func finishLink(_ name: String, _ part: Descriptor, _ place: OpenPlace) throws(SystemError) -> Bool
  {
    let ours = try FileStatus(part)
    guard let there = try? FileStatus(place.name, in: place.directory), there.device == ours.device,
      there.inode == ours.inode
    else { return false }
    try place.directory.synchronize()
    parts.borrow { _ = unlinkat($0, name, 0) }
    return true
  }

  fileprivate func holds(_ intent: PlacementIntent) throws(DocumentsProblem) -> Bool {
    guard let place = try existingPlace(of: intent.name) else { return false }
    let found = try onDocument(place.path) { () throws(SystemError) in
      try place.directory.openRegular(place.name, O_RDONLY)
    }
    guard let (file, status) = found, try file.is(intent, status, path: place.path) else { return false }
    try onDocument(place.path) { () throws(SystemError) in try place.directory.synchronize() }
    return true
  }
}

extension Descriptor {
  /// Whether an open file is the one of an intent.
  fileprivate func `is`(
    _ intent: PlacementIntent, _ status: FileStatus, path: String
  ) throws(DocumentsProblem) -> Bool {
    guard status.size == intent.size else { return false }
    if FileIdentity(device: status.device, inode: status.inode) == intent.identity { return true }
    return try sha256(of: self, path: path) == intent.sha256
  }

  fileprivate func move(_ name: String, to place: OpenPlace, _ intent: PlacementIntent) throws(SystemError)
    -> Bool
  {
    intent.replaces
      ? try move(name, replacing: place.name, in: place.directory)
      : try move(name, toNew: place.name, in: place.directory)
  }
}

extension OpenPlace {
  /// Gives a copy of a file from another file system the name of this place; false if that is taken, nil if the
  /// directory vanished meanwhile.
  ///
  /// A subdirectory may be a file system of its own. The copy is whole and on the disk before it gets the name.
  func takeCopy(
    of part: Descriptor, as copy: String, _ intent: PlacementIntent, leaving floor: ByteCount
  ) throws(DocumentsProblem) -> Bool? {
    // Not a rule, only to spare the copy: whether the name is free is found out when it is given.
    if !intent.replaces, (try? FileStatus(name, in: directory)) != nil { return false }
    // What does not tell its room is tried; so is everything without a floor.
    if floor > ByteCount(0), let free = try? directory.freeSpace(),
      let shortage = DocumentsProblem.shortage(
        in: PathParts(path).directory, free: free, for: intent.size, floor: floor)
    {
      throw shortage
    }
    do throws(SystemError) {
      try directory.remove(copy)
      var hasName = false
      try directory.withTemporaryFile(copy, permissions: 0o600) { temporary, file throws(SystemError) in
        try file.append(contentsOf: part)
        try file.finish(modified: intent.modified)
        hasName = try directory.move(temporary, to: self, intent)
        if !hasName { directory.borrow { _ = unlinkat($0, temporary, 0) } }
      }
      return hasName
    } catch {
      guard error.code == ENOENT else { throw DocumentsProblem(path, error) }
      return nil
    }
  }
}

extension Descriptor {
  /// Adds all bytes of another file.
  fileprivate func append(contentsOf other: Descriptor) throws(SystemError) {
    var offset: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let read = try other.read(into: &buffer, buffer.count, at: offset)
      guard read > 0 else { return }
      var written = 0
      while written < read {
        written += try call { number in
          buffer.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written..<read])
            return write(number, rest.baseAddress, rest.count)
          }
        }
      }
      offset += Int64(read)
    }
  }
}
