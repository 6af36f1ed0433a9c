// Placing: a complete partial file gets its final name, in steps after any of which the process may crash.

import CLinux
public import Core
import Glibc

extension DocumentsDirectory {
  /// Gives the partial files of transfers the final names of their intents.
  ///
  /// The bytes are on the disk before the name, and the name before this returns; a directory is synchronised once for all
  /// names in it. A partial file that does not match the intent's size, and its identity or checksum, is `partialLost`,
  /// unless the file was placed before, which is a success. If the name is on another file system than the directory, a copy
  /// that would leave less than `floor` is `belowFreeSpace`.
  public func place(
    _ placements: [Placement], leaving floor: ByteCount = ByteCount(0)
  ) async -> [Result<PlaceOutcome, DocumentsProblem>] {
    await each(placements) { () throws(DocumentsProblem) in
      let documents = try open()
      // All files are begun before the first is synchronised: fsync(2) of the first then writes what all of them changed
      // in the file system, and the disk writes their bytes at the same time.
      let parts = placements.map { placement in
        Result { () throws(DocumentsProblem) in try documents.begin(placement) }
      }
      var directories: [FileIdentity: NamedDirectory] = [:]
      let steps = zip(placements, parts).map { placement, part in
        part.then { part throws(DocumentsProblem) in
          try name(placement, part, in: documents, &directories, leaving: floor)
        }
      }
      return zip(placements, steps).map { placement, step in
        step.then { step throws(DocumentsProblem) in try documents.finish(placement, step) }
      }
    }
  }

  private func name(
    _ placement: Placement, _ part: Descriptor?, in documents: OpenDocuments,
    _ directories: inout [FileIdentity: NamedDirectory], leaving floor: ByteCount
  ) throws(DocumentsProblem) -> NamingStep {
    guard let part else { return .ended(.placed) }
    var documents = documents
    // Retention of another transfer may remove an empty directory between its opening and its use; then it is made
    // again. Each removal means that retention removed a file, so only another program can use up this many tries.
    for _ in 0..<1000 {
      if let step = try documents.name(placement, part, &directories, leaving: floor) { return step }
      documents = try open()
    }
    throw .other(
      path: placement.intent.directory + "/" + placement.intent.name, detail: SystemError(code: ENOENT).text)
  }

  /// Whether the file of an intent has its final name after a crash; if so, the name is on the disk when this returns.
  ///
  /// The file is recognised by its size and its identity; if the identity differs, as for a copy or after devices were
  /// renumbered, by its checksum.
  public func isPlaced(_ intent: PlacementIntent) async -> Result<Bool, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in try open().holds(intent) }
  }

  /// Removes the remains of a placement that a dead process did not finish: an incomplete copy, and the empty file that
  /// reserves a name on file systems without a better way.
  public func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    // A file that cannot be removed is reported when it is in the way.
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

/// The state of a placement before its directory is synchronised.
private enum NamingStep {
  case ended(PlaceOutcome)
  /// The file has its name, but perhaps not after a power cut; a copy still has its partial file.
  case named(OpenPlace, NamedDirectory, isCopy: Bool)
}

/// A directory in which files get their names; one for all of them, because the system may allow few descriptors.
private final class NamedDirectory {
  let descriptor: Descriptor
  /// The result of synchronising it, at the first use: after all files have their names.
  private(set) lazy var synchronization = Result { () throws(SystemError) in try descriptor.synchronize() }

  init(_ descriptor: Descriptor) { self.descriptor = descriptor }
}

extension Result where Failure == DocumentsProblem {
  /// The outcome of the next step, or the failure of this one.
  fileprivate func then<Next>(
    _ step: (Success) throws(DocumentsProblem) -> Next
  ) -> Result<Next, DocumentsProblem> {
    flatMap { value in Result<Next, DocumentsProblem> { () throws(DocumentsProblem) in try step(value) } }
  }
}

extension OpenDocuments {
  /// Opens a complete partial file, sets its mode and date, and starts writing it to the disk; nil if it was placed before.
  fileprivate func begin(_ placement: Placement) throws(DocumentsProblem) -> Descriptor? {
    let path = partialPath(placement.transfer)
    guard let (part, status) = try partial(placement.transfer),
      try part.is(placement.intent, status, path: path)
    else {
      guard try holds(placement.intent) else { throw .partialLost(path: path) }
      return nil
    }
    part.setAttributes(modified: placement.intent.modified)
    part.borrow { bgfetch_begin_writing($0, 0, 0) }
    return part
  }

  /// Writes a file to the disk and gives it its name; nil if a directory of its name vanished meanwhile.
  fileprivate func name(
    _ placement: Placement, _ part: Descriptor, _ directories: inout [FileIdentity: NamedDirectory],
    leaving floor: ByteCount
  ) throws(DocumentsProblem) -> NamingStep? {
    let (transfer, intent) = (placement.transfer, placement.intent)
    guard let found = try place(of: intent.name, making: true) else { return nil }
    let identity = try onDocument(found.path) { () throws(SystemError) in
      try FileStatus(found.directory).identity
    }
    let directory = directories[identity] ?? NamedDirectory(found.directory)
    directories[identity] = directory
    let place = OpenPlace(directory: directory.descriptor, name: found.name, path: found.path)
    try onDocument(partialPath(transfer)) { () throws(SystemError) in _ = try part.call { fsync($0) } }
    let name = partialName(transfer)
    do throws(SystemError) {
      let hasName = try parts.move(name, to: place, intent)
      guard hasName else { return .ended(try finishLink(name, part, place) ? .placed : .nameTaken) }
      return .named(place, directory, isCopy: false)
    } catch {
      switch error.code {
      case ENOENT: return nil
      case EXDEV:
        let copy = TemporaryName.copy(of: transfer, mark: mark)
        guard let hasName = try place.takeCopy(of: part, as: copy, intent, leaving: floor) else { return nil }
        return hasName ? .named(place, directory, isCopy: true) : .ended(.nameTaken)
      default:
        throw DocumentsProblem(naming: place.path, error, isWritable: place.directory.isWritableDirectory)
      }
    }
  }

  /// Ends a placement when all files have their names.
  fileprivate func finish(
    _ placement: Placement, _ step: NamingStep
  ) throws(DocumentsProblem) -> PlaceOutcome {
    let (place, directory, isCopy): (OpenPlace, NamedDirectory, Bool)
    switch step {
    case .ended(let outcome): return outcome
    case .named(let named, let shared, let isOfCopy): (place, directory, isCopy) = (named, shared, isOfCopy)
    }
    let name = partialName(placement.transfer)
    do throws(SystemError) {
      try directory.synchronization.get()
    } catch {
      // The name may not survive a power cut. It is given back, so that the next attempt finds the partial file and a free
      // name; a file that was replaced stays lost.
      if isCopy {
        place.directory.borrow { _ = unlinkat($0, place.name, 0) }
      } else if !placement.intent.replaces {
        _ = try? place.directory.move(place.name, toNew: name, in: parts)
      }
      throw DocumentsProblem(naming: place.path, error, isWritable: place.directory.isWritableDirectory)
    }
    if isCopy { parts.borrow { _ = unlinkat($0, name, 0) } }
    return .placed
  }

  /// Whether the partial file itself has the name, because a crash left it with both; then the old name is removed.
  private func finishLink(_ name: String, _ part: Descriptor, _ place: OpenPlace) throws(SystemError) -> Bool
  {
    let ours = try FileStatus(part)
    guard let found = try? FileStatus(place.name, in: place.directory), found.identity == ours.identity else {
      return false
    }
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
  /// Whether an open file is the file of an intent.
  func `is`(
    _ intent: PlacementIntent, _ status: FileStatus, path: String
  ) throws(DocumentsProblem) -> Bool {
    guard status.size == intent.size else { return false }
    if status.identity == intent.identity { return true }
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
  /// Gives a copy of a file this name; false if the name is taken, nil if the directory vanished meanwhile.
  ///
  /// A subdirectory may be another file system. The copy is complete and on the disk before it gets the name.
  func takeCopy(
    of part: Descriptor, as copy: String, _ intent: PlacementIntent, leaving floor: ByteCount
  ) throws(DocumentsProblem) -> Bool? {
    // This only saves a copy: the name is checked again when it is given.
    if !intent.replaces, (try? FileStatus(name, in: directory)) != nil { return false }
    // A file system that does not report its space is tried.
    let parent = PathParts(path).directory
    if floor > ByteCount(0), let free = try? freeSpace(at: parent),
      let shortage = DocumentsProblem.shortage(in: parent, free: free, for: intent.size, floor: floor)
    {
      throw shortage
    }
    return try onDocument(path) { () throws(SystemError) in
      try unless(ENOENT) { () throws(SystemError) in
        try directory.remove(copy)
        var hasName = false
        try directory.withTemporaryFile(copy, permissions: 0o600) { temporary, file throws(SystemError) in
          try file.append(contentsOf: part)
          file.setAttributes(modified: intent.modified)
          try file.call { fsync($0) }
          hasName = try directory.move(temporary, to: self, intent)
          if !hasName { directory.borrow { _ = unlinkat($0, temporary, 0) } }
        }
        return hasName
      }
    }
  }
}

extension Descriptor {
  /// Appends all bytes of another file.
  fileprivate func append(contentsOf other: Descriptor) throws(SystemError) {
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
      borrow { _ = unlinkat($0, name, 0) }
    case .placeholder:
      // Closed before it is replaced: FUSE would keep an open file under another name.
      _ = try other.open(newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
      do throws(SystemError) {
        try rename(name, to: newName, in: other)
      } catch {
        other.borrow { _ = unlinkat($0, newName, 0) }
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
