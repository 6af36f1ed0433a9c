// Why the store could not be opened, read or written, as facts. Wording them is the program's business.

import CSQLite
import Glibc

/// Why the store could not do what was asked; whatever was begun is undone, and the store stays usable.
public enum StoreFailure: Error, Hashable, Sendable {
  /// The state directory is that of another configuration, whose path is given.
  case belongsTo(configuration: String, path: String)
  /// The file was written by a newer program: its schema's number and the newest one known here.
  case newerSchema(path: String, found: Int, known: Int)
  /// The file was written by an older program and has to be opened with ``OpenMode/migrating`` once.
  case needsMigration(path: String, found: Int, known: Int)
  /// The file is no database, or a damaged one; the detail is what SQLite found first.
  ///
  /// Moving the file away lets the next run begin anew: feeds are fetched in full and count as first runs.
  case corrupt(path: String, detail: String)
  /// The file is the database of another program.
  case foreign(path: String)
  /// Something else than a file has its name: a directory, a pipe, a device.
  case notAFile(path: String)
  /// The disk is full.
  case full(path: String, detail: String)
  /// Reading or writing failed below SQLite.
  case inputOutput(path: String, detail: String)
  /// The file, its directory or this connection does not allow writing.
  case readOnly(path: String, detail: String)
  /// Another process held the file for longer than the busy timeout.
  case busy(path: String, detail: String)
  /// The file cannot be opened or made: no such directory, or no permission.
  case cannotOpen(path: String, detail: String)
  /// This process, or all of them together, have too many files open.
  case tooManyOpenFiles(path: String)
  /// The store was closed before.
  case closed(path: String)
  /// Anything else SQLite says, with its extended result code.
  case other(path: String, code: Int, detail: String)

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
