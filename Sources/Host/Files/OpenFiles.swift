// Whether there is room for another open file.

import Glibc

/// Whether no file can be opened because this process, or all of them together, have too many open already.
///
/// `EMFILE` and `ENFILE` of open(2); libraries such as SQLite do not hand these on.
public func hasTooManyOpenFiles() -> Bool {
  do throws(SystemError) {
    _ = try Descriptor.open("/dev/null", O_RDONLY)
    return false
  } catch {
    return error.code == EMFILE || error.code == ENFILE
  }
}
