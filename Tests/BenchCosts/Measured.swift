// The cost of a process.

import Foundation
import Glibc

/// The cost of a process, its children included.
struct Cost {
  /// In seconds.
  var wall: Double
  /// User and system time in seconds.
  var processor: Double
  /// The most memory of one of its processes, in MiB.
  var memory: Double
}

struct BenchFailure: Error, CustomStringConvertible {
  var description: String
}

/// Runs a program to its end; fails unless it succeeds.
@discardableResult
func cost(_ arguments: [String], _ folder: URL) throws -> Cost {
  guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
    throw BenchFailure(description: "\(folder.path) cannot be entered")
  }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  let errors = folder.appending(path: "errors")
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 2, errors.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  // With a nil at the end, as posix_spawn(3) wants them.
  func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    copies.append(nil)
    return copies
  }
  let words = copies(arguments)
  let variables = copies(["HOME=\(folder.path)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"])
  defer { for text in words + variables { free(text) } }
  let begun = DispatchTime.now().uptimeNanoseconds
  var process: pid_t = 0
  let failure = posix_spawn(&process, arguments[0], &actions, nil, words, variables)
  guard failure == 0 else {
    throw BenchFailure(description: "\(arguments[0]): \(String(cString: strerror(failure)))")
  }
  var status: Int32 = 0
  var used = rusage()
  guard wait4(process, &status, 0, &used) == process else {
    throw BenchFailure(description: "wait4: \(String(cString: strerror(errno)))")
  }
  let wall = Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
  guard status == 0 else {
    let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
    throw BenchFailure(description: "\(arguments.joined(separator: " ")): status \(status >> 8)\n\(said)")
  }
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return Cost(
    wall: wall, processor: seconds(used.ru_utime) + seconds(used.ru_stime),
    memory: Double(used.ru_maxrss) / 1024)
}
