// Documents that the command line names.

import Core
import Host

extension Invocation {
  /// All bytes of a file; `-` is standard input.
  ///
  /// The purpose names it in what goes wrong. What is believed must not be another user's (`FileSafety`).
  func read(
    _ file: String, limit: ByteCount, purpose: String, isBelieved: Bool = false
  ) throws -> [UInt8] {
    do throws(FileFailure) {
      if isBelieved, file != "-" { try FileSafety.require(file) }
      return try readFile(file == "-" ? "/dev/stdin" : file, limit: limit, patience: nil)
    } catch {
      throw ProgramFailure.file(error, purpose: purpose)
    }
  }
}
