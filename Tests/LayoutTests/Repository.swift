// The files of this repository that tests read, and the programs that they run.

import Foundation

/// The repository these tests were built from.
enum Repository {
  /// Its directory.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The text of a file, by its path from the root.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The files below a directory whose names have a suffix, by their paths from the root, in order.
  static func files(below directory: String, endingIn suffix: String) throws -> [String] {
    let folder = root.appending(path: directory)
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { name in
        name.hasSuffix(suffix)
          && (try? folder.appending(path: name).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile)
            == true
      }
      .map { directory + "/" + $0 }.sorted()
  }

  /// The program that was built together with these tests.
  static func program() throws -> URL {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: runner).deletingLastPathComponent().appending(path: "bgfetch")
  }
}

/// Runs a program to its end, and returns its exit status with all that it printed.
func run(
  _ program: URL, _ arguments: [String], environment: [String: String]? = nil
) throws -> (status: Int32, output: String) {
  let process = Process()
  let output = Pipe()
  process.executableURL = program
  process.arguments = arguments
  if let environment { process.environment = environment }
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
}
