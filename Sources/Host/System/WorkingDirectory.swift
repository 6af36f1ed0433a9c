// Where relative paths of the command line begin.

import Glibc

extension Machine {
  /// The working directory; `/` where it was removed or may not be seen.
  public static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
