// The files of this repository that tests read.

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
