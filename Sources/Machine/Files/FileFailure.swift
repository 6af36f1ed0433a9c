// Why a file could not be read or written. The program words it.

public import Core
import Glibc

/// A file that could not be read or written.
public struct FileFailure: Error, Equatable, Sendable {
  /// The path up to the problem.
  public let path: String
  public let problem: FileProblem

  public init(path: String, problem: FileProblem) {
    (self.path, self.problem) = (path, problem)
  }

  init(_ path: String, _ error: SystemError) {
    self.init(path: path, problem: FileProblem(error))
  }
}

public enum FileProblem: Equatable, Sendable {
  case missing
  /// The file exists already.
  case exists
  case denied
  /// It is a directory, and a file was expected.
  case isDirectory
  /// It is a device, socket or pipe.
  case isSpecial
  /// It, or a part of the path, is not a directory.
  case notDirectory
  case tooLarge(limit: ByteCount)
  /// A pipe or device sent nothing for this time, not even its end.
  case silent(seconds: Int32)
  /// The file system or the user's quota is full.
  case full
  case readOnly
  /// Symbolic links form a circle, or there are more than 40.
  case linkLoop
  case nameTooLong
  /// Another user could have written it, or replaced a part of the path to it.
  case unsafe(SafetyFinding)
  /// The file has other names (hard links), so writing would change those too.
  case hasOtherNames
  /// Another program changed it meanwhile.
  case changed
  case other(SystemError)

  init(_ error: SystemError) {
    self =
      switch error.code {
      case ENOENT: .missing
      case EEXIST: .exists
      case EACCES, EPERM: .denied
      case EISDIR: .isDirectory
      case ENOTDIR: .notDirectory
      case ENOSPC, EDQUOT: .full
      case EROFS: .readOnly
      case ELOOP: .linkLoop
      // A socket, which open(2) refuses, and a device without a driver.
      case ENXIO: .isSpecial
      case ENAMETOOLONG: .nameTooLong
      default: .other(error)
      }
  }
}

/// Adds the path to the error of system calls.
@discardableResult
func onPath<Outcome>(
  _ path: String, _ outcome: @autoclosure () throws(SystemError) -> Outcome
) throws(FileFailure) -> Outcome {
  do throws(SystemError) {
    return try outcome()
  } catch {
    throw FileFailure(path, error)
  }
}
