// Answers that go to a file where one is named.

import Host

extension Invocation {
  /// Prints an answer, or writes it to a file, whole and for this user alone; `-` is standard output.
  ///
  /// A file that is there is only replaced by force, and then keeps its permissions.
  func write(_ answer: String, to file: String?, isForced: Bool) throws {
    guard let file, file != "-" else { return Console.write(answer, to: .output) }
    do throws(FileFailure) {
      if isForced {
        try AtomicFile.replace(file, with: Array(answer.utf8), permissions: 0o600)
      } else {
        try NewFile.create(file, with: Array(answer.utf8), permissions: 0o600)
      }
    } catch {
      guard error.problem == .exists else { throw error }
      throw ProgramFailure.usage("\(file): is there already; name another file, or replace it with --force")
    }
  }
}
