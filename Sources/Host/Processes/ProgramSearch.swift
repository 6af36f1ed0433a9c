// Which file a program's name means.

import Glibc

/// The file that a program's name means: looked up in `PATH`, or the path itself if there is a slash in it.
///
/// Empty and relative entries of `PATH` are passed over: what is run must not depend on the working
/// directory. Without a `PATH` it is `/usr/bin:/bin`, as under cron.
///
/// - Parameters:
///   - name: a name or a path; a relative path starts in `directory`.
///   - path: the value of `PATH`.
///   - directory: where the program will run.
/// - Returns: the path to execute.
/// - Throws: `notFound`; `notExecutable` with the first file of that name; or `notAProgram` for a path of what is no file.
public func findProgram(_ name: String, path: String?, directory: String) throws(StartFailure) -> String {
  if name.contains("/") {
    let file = name.hasPrefix("/") ? name : directory + "/" + name
    guard let isProgram = isExecutableFile(file) else {
      throw (try? FileStatus(file, following: true)) == nil ? .notFound(name) : .notAProgram(file)
    }
    guard isProgram else { throw .notExecutable(file) }
    return file
  }
  var unusable: String?
  for place in (path ?? "/usr/bin:/bin").split(separator: ":") where place.hasPrefix("/") && !name.isEmpty {
    let file = place + "/" + name
    guard let isProgram = isExecutableFile(file) else { continue }
    if isProgram { return file }
    unusable = unusable ?? file
  }
  throw unusable.map { .notExecutable($0) } ?? .notFound(name)
}

/// Whether a file may be executed; nil if it is not there, as far as we may see, or no file.
private func isExecutableFile(_ path: String) -> Bool? {
  // Whatever keeps us from looking keeps the system from running it: to the search it is not there.
  guard let status = try? FileStatus(path, following: true), status.kind == .file else { return nil }
  return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
}
