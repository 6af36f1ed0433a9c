// A directory of a test's own, and the files that stand beside a test.

internal import Glibc

/// A new empty directory that is removed, with all that is in it, when the value goes.
public final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  public let path: String

  /// Makes the directory under `$TMPDIR`, else `/tmp`.
  public init() throws(FileProblem) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/bgfetch-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw FileProblem(path: parent, code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of a file in the directory.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file into the directory, mode 0600, and gives its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws(FileProblem) -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file into the directory, mode 0600, and gives its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws(FileProblem) -> String {
    let path = file(name)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileProblem(path: path, code: errno) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw FileProblem(path: path, code: errno) }
      written += count
    }
    return path
  }

  deinit { removeTree(path) }
}

/// A file that could not be read or written.
public struct FileProblem: Error, Hashable, Sendable {
  /// Which.
  public var path: String
  /// The `errno`.
  public var code: Int32
}

/// The bytes of a file.
public func readFile(_ path: String) throws(FileProblem) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileProblem(path: path, code: errno) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw FileProblem(path: path, code: errno) }
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// The bytes of a file in the folder `Fixtures` beside the test that asks.
public func fixture(named name: String, file: String = #filePath) throws(FileProblem) -> [UInt8] {
  let folder = file.lastIndex(of: "/").map { file[..<$0] } ?? "."
  return try readFile("\(folder)/Fixtures/\(name)")
}

/// Removes a directory and what is in it; links are removed, never followed.
private func removeTree(_ path: String) {
  if let directory = opendir(path) {
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    closedir(directory)
    for name in names {
      let child = path + "/" + name
      if unlink(child) != 0 { removeTree(child) }
    }
  }
  rmdir(path)
}
