// Commands for tests, and looking at processes.

import Core
import Glibc
import Machine
import TestKit

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
