// Commands for tests, and looking at processes.

import Core
import Glibc
import Machine

/// The longest time that a test waits for anything: much more than the slowest machine needs.
///
/// scripts/run-tests waits longer.
let longestWait = Duration.seconds(300)

/// A shell script as a command.
func sh(
  _ script: String, _ arguments: [String] = [], input: [UInt8] = [], limit: Duration? = longestWait,
  grace: Duration = .milliseconds(100), outputLimit: Int = 4096, errorLimit: Int = 4096
) -> Command {
  Command(
    "sh", ["-c", script, "sh"] + arguments, environment: ["PATH": "/usr/bin:/bin"], directory: "/",
    input: input, limit: limit, grace: grace, outputLimit: outputLimit, errorLimit: errorLimit)
}

/// The text that a command printed.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The process numbers that a script printed, one a line.
func processes(_ result: CommandResult) -> [pid_t] {
  text(result.output).split(separator: "\n").compactMap { pid_t($0) }
}

/// Whether a process is gone; a zombie whose parent is not this process counts as gone.
func isGone(_ process: pid_t) -> Bool {
  guard let status = try? readFile("/proc/\(process)/stat", limit: ByteCount(4096)) else { return true }
  let fields = text(Array(status[(status.lastIndex(of: UInt8(ascii: ")")) ?? 0)...])).split(separator: " ")
  return fields[1] == "Z" && fields[2] != "\(getpid())"
}

/// Waits until something has become true; false if it has not within `longestWait`.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  let start = ContinuousClock.now
  while try !condition() {
    guard ContinuousClock.now - start < longestWait else { return false }
    // Polling, because the condition depends on another process.
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}
