// The limit on open files.

import Glibc

/// Makes room for the files and connections of a run.
///
/// A low soft limit is raised as far as the hard limit allows (getrlimit(2)).
///
/// - Throws: `EMFILE` if fewer than 48 files can still be opened. A run that starts with fewer would fail halfway.
public func makeRoomForOpenFiles() throws(SystemError) {
  var limit = rlimit()
  let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  try systemCall { getrlimit(files, &limit) }
  let wanted = min(1024, limit.rlim_max)
  if limit.rlim_cur < wanted {
    limit.rlim_cur = wanted
    try systemCall { setrlimit(files, &limit) }
  }
  // open(2) gives the lowest free number: nearly all below it are taken.
  let first = try Descriptor.open("/dev/null", O_RDONLY).borrow { rlim_t($0) }
  guard first + 48 <= limit.rlim_cur else { throw SystemError(code: EMFILE) }
}
