// The failures of the store for the result codes of SQLite.

import CSQLite
import Core
import Glibc

extension StoreFailure {
  /// The failure for one of SQLite's result codes (https://sqlite.org/rescode.html) and the `errno` that led to it.
  init(code: Int32, systemError: Int32, detail: String, path: String) {
    func isOpenFiles(_ error: Int32) -> Bool { error == EMFILE || error == ENFILE }
    func isFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }
    self =
      switch code & 0xFF {
      case SQLITE_IOERR where isOpenFiles(systemError), SQLITE_CANTOPEN where isOpenFiles(systemError):
        .tooManyOpenFiles(path: path)
      // A reader, too, needs room: for what it shares with those who write.
      case SQLITE_IOERR where isFull(systemError), SQLITE_CANTOPEN where isFull(systemError):
        .full(path: path, detail: detail)
      // A file system that has turned read-only, as one does after an error of its disk.
      case SQLITE_IOERR where systemError == EROFS, SQLITE_CANTOPEN where systemError == EROFS:
        .readOnly(path: path, detail: "the file system is read-only")
      // Statements are fixed and tested: one that does not fit the tables has met others than ours.
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: .corrupt(path: path, detail: detail)
      case SQLITE_FULL: .full(path: path, detail: detail)
      case SQLITE_IOERR: .inputOutput(path: path, detail: detail)
      case SQLITE_READONLY: .readOnly(path: path, detail: detail)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path, detail: detail)
      case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen(path: path, detail: detail)
      default: .other(path: path, code: Int(code), detail: detail)
      }
  }
}
