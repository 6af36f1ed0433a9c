// Where relative paths of the command line begin.

import Glibc

extension Machine {
  /// The working directory; where it has no path, as it was removed or may not be seen, what stands for it in proc(5):
  /// nothing is then written to another place.
  public static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { free(path) }
    return String(cString: path)
  }
}
