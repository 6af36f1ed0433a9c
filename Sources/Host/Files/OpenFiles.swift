// Whether there is room for another open file.

import Glibc

/// Whether no file can be opened, or hardly one, because this process or all of them together have too many open.
///
/// `EMFILE` and `ENFILE` of open(2); libraries such as libcurl do not hand these on. What failed for want of one may have
/// been followed by the closing of others, so a few that are free again count as none.
public func hasTooManyOpenFiles() -> Bool {
  do throws(SystemError) {
    let file = try Descriptor.open("/dev/null", O_RDONLY)
    // The lowest free number is what is given, so that one near the limit tells that all below are taken.
    return file.borrow { Int($0) } >= openFileLimit() - 4
  } catch {
    return error.isTooManyOpenFiles
  }
}

/// Sees to it that there is room for a few open files; gives false if there is not.
///
/// Where there is none, this process takes as many as it may have at most (the hard limit of getrlimit(2)).
public func makeRoomForOpenFiles() -> Bool {
  guard hasTooManyOpenFiles() else { return true }
  var limit = rlimit()
  let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  guard getrlimit(files, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return false }
  limit.rlim_cur = limit.rlim_max
  return setrlimit(files, &limit) == 0 && !hasTooManyOpenFiles()
}

/// How many files this process may have open at once (`RLIMIT_NOFILE` of getrlimit(2)).
public func openFileLimit() -> Int {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
  return Int(clamping: limit.rlim_cur)
}

extension SystemError {
  /// Whether this process, or all of them together, have too many files open.
  public var isTooManyOpenFiles: Bool { code == EMFILE || code == ENFILE }

  /// The system's words for both.
  public static var wordsForTooManyOpenFiles: [String] {
    [EMFILE, ENFILE].map { SystemError(code: $0).text }
  }
}
