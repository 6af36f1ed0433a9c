// A documents directory: making it ready, and what is asked of it. Each question is answered on a thread of its own,
// since the directory may lie on a slow network.

public import Core
import Glibc

/// A documents directory, where finished files are placed below `.bgfetch`, where they come together.
///
/// The directory itself may be a symbolic link; below it none is followed. Where another user may have put it there, or
/// anything on the way to it, it is `unsafe` to every question (`FileSafety`); a share of the network or a file system
/// without permissions (FAT) is the user's own arrangement. Nothing is held open between two calls, so
/// that a file system may be unmounted meanwhile.
public struct DocumentsDirectory: Sendable {
  /// Its path, an absolute one.
  public let path: String
  /// What tells the partial files of a store from those of others that use the directory, too: letters and digits.
  private let mark: String

  /// The directory of a path; nothing is looked at yet.
  ///
  /// Without a mark it is one store's alone.
  public init(_ path: String, mark: String = "") {
    self.path = path
    self.mark = mark
  }

  /// Makes the directory ready to be used.
  ///
  /// One that was never used is made, with those above it, as mkdir(1) makes them; its `.bgfetch`, 0700, is the mark that
  /// it was used. Where one that was used has no such mark, it is `gone` and nothing is made: it is the empty place
  /// where a file system is to be mounted. Gives the room of its file system, nil where that does not tell it.
  public func prepare(wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      if !wasUsed { try make() }
      _ = try open()
      return try? fileSystemSpace(at: path)
    }
  }

  /// The room of its file system.
  public func space() async -> Result<FileSystemSpace, DocumentsProblem> {
    await work { () throws(DocumentsProblem) in
      do throws(FileFailure) {
        return try fileSystemSpace(at: path)
      } catch {
        throw DocumentsProblem(error)
      }
    }
  }

  /// Does work that may block, away from Swift's pool.
  func work<Outcome: Sendable>(
    _ body: @escaping @Sendable () throws(DocumentsProblem) -> Outcome
  ) async -> Result<Outcome, DocumentsProblem> {
    await onOwnThread {
      Result { () throws(DocumentsProblem) in try body() }
    } refused: {
      .failure(DocumentsProblem(path, $0))
    }
  }

  /// Opens the directory and its `.bgfetch`; `gone` names the one that is not there.
  func open() throws(DocumentsProblem) -> OpenDocuments {
    try requireSafe()
    let top = try openExisting(path) { () throws(SystemError) in
      try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    }
    let parts = try openExisting(path + "/" + partsName) { () throws(SystemError) in
      try top.open(partsName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }
    do throws(FileFailure) {
      let path = path + "/" + partsName
      let status = try onPath(path) { () throws(SystemError) in try FileStatus(parts) }
      if !permissionsAreElsewhere(path) { try FileSafety.require(status, at: path) }
    } catch {
      throw DocumentsProblem(error)
    }
    return OpenDocuments(path: path, mark: mark, top: top, parts: parts)
  }

  /// Why nothing is placed here: what another user may have put on the way to it, or could change.
  public var refusals: [SafetyFinding] {
    // Whatever keeps us from looking is told when it is used.
    let findings = (try? FileSafety().findings(path, mayBeMissing: true)) ?? []
    return findings.filter { $0.isRefusal && !permissionsAreElsewhere($0.path) }
  }

  private func requireSafe() throws(DocumentsProblem) {
    do throws(FileFailure) {
      try FileSafety.require(path) { permissionsAreElsewhere($0.path) }
    } catch {
      throw DocumentsProblem(error)
    }
  }

  private func make() throws(DocumentsProblem) {
    try requireSafe()
    try makeDirectories(path)
    // In /tmp somebody else may have been quicker.
    try requireSafe()
    let top = try openExisting(path) { () throws(SystemError) in
      try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    }
    try onDocument(path + "/" + partsName) { () throws(SystemError) in
      if try top.makeDirectory(partsName, permissions: 0o700) { try top.synchronize() }
    }
  }
}

/// The name of the directory of partial files in a documents directory.
let partsName = ".bgfetch"

/// A documents directory that is open.
struct OpenDocuments {
  let path: String
  /// What the names of the store's partial files hold.
  let mark: String
  /// The directory itself.
  let top: Descriptor
  /// Its `.bgfetch`.
  let parts: Descriptor
}

extension Descriptor {
  /// Makes a directory in this one; false if there is something of that name already.
  func makeDirectory(_ name: String, permissions: UInt32) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try call { mkdirat($0, name, permissions) }
      return true
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
  }
}

private func openExisting(
  _ path: String, _ open: () throws(SystemError) -> Descriptor
) throws(DocumentsProblem) -> Descriptor {
  do throws(SystemError) {
    return try open()
  } catch {
    throw error.code == ENOENT ? .gone(path: path) : DocumentsProblem(path, error)
  }
}

/// Makes a directory and those above it that are missing, open to whom the umask leaves it: documents are the user's.
private func makeDirectories(_ path: String) throws(DocumentsProblem) {
  do throws(SystemError) {
    try systemCall { mkdir(path, 0o777) }
  } catch {
    switch error.code {
    case EEXIST: break
    case ENOENT:
      let parent = PathParts(path).directory
      guard parent != path, parent != "." else { throw DocumentsProblem(path, error) }
      try makeDirectories(parent)
      // Another process may have been quicker; what it made is opened next.
      do throws(SystemError) {
        try systemCall { mkdir(path, 0o777) }
      } catch {
        guard error.code == EEXIST else { throw DocumentsProblem(path, error) }
      }
    default: throw DocumentsProblem(path, error)
    }
  }
}
