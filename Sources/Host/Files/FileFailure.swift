// Why a file could not be read or written, as far as it matters to the person who has to mend it.

public import Core
import Glibc

/// A file that could not be read or written, and why.
public struct FileFailure: Error, Hashable, Sendable {
  /// The path, as far as it was followed.
  public let path: String
  /// What is the matter with it.
  public let problem: FileProblem

  /// A problem with a path.
  public init(path: String, problem: FileProblem) {
    self.path = path
    self.problem = problem
  }

  init(_ path: String, _ error: SystemError) {
    self.init(path: path, problem: FileProblem(error))
  }
}

/// What can be the matter with a file.
public enum FileProblem: Hashable, Sendable {
  /// There is no such file or directory.
  case missing
  /// There is a file already, and none was expected.
  case exists
  /// The permissions do not allow it.
  case denied
  /// It is a directory, and a file was expected.
  case isDirectory
  /// It is neither a file nor a directory but a device, socket or pipe.
  case isSpecial
  /// It, or something on the way to it, is not a directory.
  case notDirectory
  /// It holds more than the bytes allowed.
  case tooLarge(limit: ByteCount)
  /// It is a pipe or device from which nothing, not even its end, came for so many seconds.
  case silent(seconds: Int64)
  /// The file system, or the user's quota on it, is full.
  case full
  /// The file system can only be read.
  case readOnly
  /// The symbolic links go round in a circle, or there are more than 40.
  case linkLoop
  /// The name or the path is longer than the file system allows.
  case nameTooLong
  /// Somebody else may have written it, or led us to it.
  case unsafe(SafetyFinding)
  /// The file has further names (hard links), under which writing would change it too.
  case hasOtherNames
  /// Anything else.
  case other(SystemError)

  init(_ error: SystemError) {
    switch error.code {
    case ENOENT: self = .missing
    case EEXIST: self = .exists
    case EACCES, EPERM: self = .denied
    case EISDIR: self = .isDirectory
    case ENOTDIR: self = .notDirectory
    case ENOSPC, EDQUOT: self = .full
    case EROFS: self = .readOnly
    case ELOOP: self = .linkLoop
    // A socket, which open(2) refuses, and a device without a driver.
    case ENXIO: self = .isSpecial
    case ENAMETOOLONG: self = .nameTooLong
    default: self = .other(error)
    }
  }
}

/// Runs system calls on behalf of a path, so that what they throw names it.
func onPath<Outcome>(
  _ path: String, _ body: () throws(SystemError) -> Outcome
) throws(FileFailure) -> Outcome {
  do throws(SystemError) {
    return try body()
  } catch {
    throw FileFailure(path, error)
  }
}
