// A documents directory: preparing it, opening it safely, and the problems that the system reports about it. Placing,
// partial files and placed files are in the other files here.

public import Core
import Glibc

/// A documents directory with its finished files, and with partial files in `.bgfetch` below it.
///
/// The directory itself may be a symbolic link; below it none is followed. If another user could have made it, or anything
/// on the path to it, every call fails with `unsafe` (`FileSafety`); network shares and file systems without permissions
/// (FAT) are exempt. Nothing is kept open between two calls, so that the file system can be unmounted. Calls block on a
/// thread of their own, because the directory may be on a slow network.
public struct DocumentsDirectory: Sendable {
  /// The absolute path.
  public let path: String
  /// Distinguishes this store's partial files from those of other stores in the directory: letters and digits.
  private let mark: String

  /// The directory of a path, which is not accessed yet; without a mark only one store may use it.
  public init(_ path: String, mark: String = "") {
    (self.path, self.mark) = (path, mark)
  }

  /// Prepares the directory.
  ///
  /// A directory that was never used is made, with its parents and permissions as mkdir(1) gives them; its `.bgfetch`,
  /// 0700, shows that it was used. A used directory without `.bgfetch` is `gone` and not made again: it is the empty mount
  /// point of a file system.
  public func prepare(wasUsed: Bool) async throws(DocumentsProblem) {
    try await work {
      if !wasUsed { try make() }
      _ = try open()
    }
  }

  /// The free space of the file system.
  public func space() async throws(DocumentsProblem) -> ByteCount {
    try await work { try freeSpace(at: path) }
  }

  /// Does blocking work outside the thread of the tasks.
  func work<Outcome: Sendable>(
    _ body: @escaping @Sendable () throws -> Outcome
  ) async throws(DocumentsProblem) -> Outcome {
    try await onDocumentThread(path, body)
  }

  /// Opens the directory and its `.bgfetch`; `gone` names the missing one.
  func open() throws(DocumentsProblem) -> OpenDocuments {
    try requireSafe()
    let top = try existing(path, Descriptor.open(path, O_RDONLY | O_DIRECTORY))
    let partsPath = path + "/" + partsName
    let parts = try existing(partsPath, top.openDirectory(partsName))
    try onDocument(partsPath) {
      let status = try FileStatus(parts)
      if !permissionsAreElsewhere(partsPath) { try FileSafety.require(status, at: partsPath) }
    }
    return OpenDocuments(path: path, mark: mark, top: top, parts: parts)
  }

  /// Why no file is placed here: directories on the path that another user made or could change.
  public var refusals: [SafetyFinding] {
    // Other problems are reported when the directory is used.
    let findings = (try? FileSafety().findings(path, mayBeMissing: true)) ?? []
    return findings.filter { $0.isRefusal && !permissionsAreElsewhere($0.path) }
  }

  private func requireSafe() throws(DocumentsProblem) {
    try onDocument(path) { try FileSafety.require(path) { permissionsAreElsewhere($0.path) } }
  }

  private func make() throws(DocumentsProblem) {
    try requireSafe()
    // With the permissions of the umask, because documents belong to the user.
    try onDocument(path) { try makeDirectories(path, 0o777) }
    // In /tmp another user may have made it first.
    try requireSafe()
    let top = try onDocument(path) { try Descriptor.open(path, O_RDONLY | O_DIRECTORY) }
    try onDocument(path + "/" + partsName) {
      try top.makeDirectory(partsName, permissions: 0o700)
    }
  }
}

/// The name of the directory of partial files in a documents directory.
let partsName = ".bgfetch"

/// An open documents directory.
struct OpenDocuments {
  let path: String
  /// Part of the names of the store's partial files.
  let mark: String
  /// The directory itself.
  let top: Descriptor
  /// `.bgfetch` in it.
  let parts: Descriptor
}

extension Descriptor {
  /// Makes a directory in this directory, and its name survives a power cut; does nothing if the name is taken.
  func makeDirectory(_ name: String, permissions: UInt32) throws(SystemError) {
    let made = try unless(EEXIST, in: call { mkdirat($0, name, permissions) })
    if made != nil { try synchronize() }
  }
}

/// An opened directory; fails with `gone` if it is missing.
private func existing(
  _ path: String, _ directory: @autoclosure () throws(SystemError) -> Descriptor
) throws(DocumentsProblem) -> Descriptor {
  do throws(SystemError) {
    return try directory()
  } catch {
    throw error.code == ENOENT ? .gone(path: path) : DocumentsProblem(path, error)
  }
}

extension DocumentsProblem {
  /// An error of the system for a path.
  init(_ path: String, _ error: SystemError) {
    self =
      switch error.code {
      case ENOSPC, EDQUOT: .full(path: path)
      case EFBIG: .fileTooLarge(path: path)
      // Too many open files are a problem of this machine, not of the download.
      case EACCES, EPERM, EROFS, EMFILE, ENFILE: .denied(path: path, detail: error.text)
      case ELOOP, ENOTDIR, EISDIR, EEXIST, ENOTEMPTY: .inTheWay(path: path)
      // A server or a FUSE daemon that is down, or a device that was removed.
      case ESTALE, ENOTCONN, EHOSTDOWN, ENODEV, ENXIO: .gone(path: mounted(path))
      case ENOENT where mounted(path) != path: .gone(path: mounted(path))
      default: .other(path: path, detail: error.text)
      }
  }

  /// An error of the system when a file or directory was given a name.
  init(naming path: String, _ error: SystemError) {
    self =
      switch error.code {
      case EINVAL, EILSEQ, ENAMETOOLONG: .nameRefused(path: path, detail: error.text)
      case ESTALE, ENOTCONN, EHOSTDOWN, ENODEV, ENXIO: .gone(path: PathParts(path).directory)
      default: DocumentsProblem(path, error)
      }
  }

  /// A refusal of a path, or an error on the way to it.
  init(_ failure: FileFailure) {
    let path = failure.path
    self =
      switch failure.problem {
      case .missing: .gone(path: path)
      case .denied: DocumentsProblem(path, SystemError(code: EACCES))
      case .full: .full(path: path)
      case .unsafe(let finding):
        if case .ownedByOther(let user) = finding.problem {
          .unsafe(path: finding.path, owner: user)
        } else {
          .unsafe(path: finding.path, owner: nil)
        }
      case .other(let error): DocumentsProblem(path, error)
      default: .inTheWay(path: path)
      }
  }
}

/// The directory to mount when a path is gone: the documents directory of a partial file, else the path itself.
private func mounted(_ path: String) -> String {
  let parts = PathParts(PathParts(path).directory)
  return parts.name == partsName ? parts.directory : path
}

/// Does blocking work for a path outside the thread of the tasks.
func onDocumentThread<Outcome: Sendable>(
  _ path: String, _ body: @escaping @Sendable () throws -> Outcome
) async throws(DocumentsProblem) -> Outcome {
  try await onOwnThread { Result { () throws(DocumentsProblem) in try onDocument(path, body) } }.get()
}

/// Does work with files, of which errors of the system become problems of a path.
@discardableResult
func onDocument<Outcome>(
  _ path: String, _ body: () throws -> Outcome
) throws(DocumentsProblem) -> Outcome {
  do {
    return try body()
  } catch let problem as DocumentsProblem {
    throw problem
  } catch let failure as FileFailure {
    throw DocumentsProblem(failure)
  } catch {
    throw DocumentsProblem(path, error as? SystemError ?? SystemError(code: EIO))
  }
}
