// What the system says about documents directories, as far as it matters to a transfer.

import Core
import Glibc

extension DocumentsProblem {
  /// What the system said of a path.
  init(_ path: String, _ error: SystemError) {
    switch error.code {
    case ENOSPC, EDQUOT: self = .full(path: path)
    case EFBIG: self = .fileTooLarge(path: path)
    // Too many open files are this machine's trouble, too, and no failure of the download.
    case EACCES, EPERM, EROFS, EMFILE, ENFILE: self = .denied(path: path, detail: error.text)
    case ELOOP, ENOTDIR, EISDIR, EEXIST: self = .inTheWay(path: path)
    // A server or a FUSE daemon that is away, or a device that was pulled out.
    case ESTALE, ENOTCONN, EHOSTDOWN, ENODEV, ENXIO: self = .gone(path: mounted(path))
    case ENOENT where mounted(path) != path: self = .gone(path: mounted(path))
    default: self = .other(path: path, detail: error.text)
    }
  }

  /// What the system said where something was to get a name in a directory.
  ///
  /// EPERM is of the name where the directory can be written, as FAT says of letters that its character set lacks; of the
  /// directory where that cannot be, as where it is immutable.
  init(naming path: String, _ error: SystemError, isWritable: Bool) {
    switch error.code {
    case EINVAL, EILSEQ, ENAMETOOLONG: self = .nameRefused(path: path, detail: error.text)
    case EPERM where isWritable: self = .nameRefused(path: path, detail: error.text)
    case ESTALE, ENOTCONN, EHOSTDOWN, ENODEV, ENXIO: self = .gone(path: PathParts(path).directory)
    default: self.init(path, error)
    }
  }

  /// What was found out about a path.
  init(_ failure: FileFailure) {
    switch failure.problem {
    case .missing: self = .gone(path: failure.path)
    case .denied: self = .init(failure.path, SystemError(code: EACCES))
    case .readOnly: self = .init(failure.path, SystemError(code: EROFS))
    case .full: self = .full(path: failure.path)
    case .isDirectory, .isSpecial, .silent, .notDirectory, .linkLoop, .exists:
      self = .inTheWay(path: failure.path)
    case .nameTooLong: self = .init(failure.path, SystemError(code: ENAMETOOLONG))
    case .tooLarge: self = .fileTooLarge(path: failure.path)
    case .unsafe(let finding):
      if case .ownedByOther(let user) = finding.problem {
        self = .unsafe(path: finding.path, owner: user)
      } else {
        self = .unsafe(path: finding.path, owner: nil)
      }
    case .hasOtherNames: self = .inTheWay(path: failure.path)
    case .other(let error): self = .init(failure.path, error)
    }
  }
}

/// What is to be mounted where a path is gone: of a partial file the documents directory, and else the path itself.
private func mounted(_ path: String) -> String {
  let parts = PathParts(PathParts(path).directory)
  return parts.name == partsName ? parts.directory : path
}

/// Runs system calls on behalf of a path, so that the problem names it.
func onDocument<Outcome>(
  _ path: String, _ body: () throws(SystemError) -> Outcome
) throws(DocumentsProblem) -> Outcome {
  do throws(SystemError) {
    return try body()
  } catch {
    throw DocumentsProblem(path, error)
  }
}

extension Descriptor {
  /// Whether names may be given in this directory, by its permissions, its attributes and how it is mounted.
  var isWritableDirectory: Bool {
    self.borrow { faccessat($0, ".", W_OK | X_OK, AT_EACCESS) } == 0
  }
}
