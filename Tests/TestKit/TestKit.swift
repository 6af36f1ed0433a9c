// Helpers of tests: a real HTTP server that can misbehave, temporary directories, other programs, networks of their own.
//
// ScriptedServer is the server, ChildProgram starts programs, TemporaryDirectory holds files, Gate and `longestWait` are the
// only ways to wait. Tests of one module keep their own helpers beside the tests.

import Glibc
import Testing

/// The longest time that a test waits for anything, which is much more than the slowest machine needs.
public let longestWait = Duration.seconds(300)

/// Waits until something has become true; false if it has not within `longestWait`.
public func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  let start = ContinuousClock.now
  while try !condition() {
    guard ContinuousClock.now - start < longestWait, !Task.isCancelled else { return false }
    // Polling, because the condition depends on another process.
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}

/// Blocks until there is something to read, or the other end is closed; false if there is not within `longestWait`.
public func isReadable(_ descriptor: Int32) -> Bool {
  var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = Int32(longestWait / .milliseconds(1))
  while true {
    let count = poll(&watched, 1, milliseconds)
    if count >= 0 || errno != EINTR { return count > 0 }
  }
}

/// Makes the current test fail, because it waited longer than `longestWait`.
public func recordWaitInVain(for what: String) {
  // Not by the macro of Swift Testing, which only test targets can use.
  let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
  Issue.record("waited \(longestWait) in vain for \(what)", sourceLocation: place)
}

/// A gate that stays open once a test has opened it.
public final class Gate: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  /// A closed gate.
  public init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fatalError("no pipe: errno \(errno)") }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Opens it for all present and later waiters.
  public func open() {
    // The byte is never read, so the end stays readable for every waiter.
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Blocks the thread until the gate is open; false if it is not within `longestWait`.
  @discardableResult
  public func pass() -> Bool { isReadable(readEnd) }

  deinit {
    close(readEnd)
    close(writeEnd)
  }
}

/// The reason why a wait ended.
enum WaitEnd {
  case opened, peerClosed, timedOut
}

/// Waits until `gate` opens, `stop` opens or the peer of `socket` closes; without a gate, only for the last two.
///
/// A stopped server looks like a peer that closed: the connection is over.
func wait(for gate: Gate?, stop: Gate, socket: Int32, milliseconds: Int32 = -1) -> WaitEnd {
  let hangUp: Int16 = 0x2000  // POLLRDHUP, a GNU extension that Swift's Glibc lacks
  var watched = [
    pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0),
    pollfd(fd: socket, events: hangUp, revents: 0),
    pollfd(fd: gate?.readEnd ?? -1, events: Int16(POLLIN), revents: 0),
  ]
  while true {
    let count = poll(&watched, nfds_t(watched.count), milliseconds)
    if count < 0, errno == EINTR { continue }
    if count == 0 { return .timedOut }
    if watched[0].revents != 0 || watched[1].revents != 0 { return .peerClosed }
    return .opened
  }
}

/// A new empty directory, which is removed with everything in it when the value is released.
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
  /// The path of the file.
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

/// The names in a directory; none if it cannot be read.
public func entries(of path: String) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Removes a directory and everything in it; links are removed, not followed.
public func removeTree(_ path: String) {
  for name in entries(of: path) {
    let child = path + "/" + name
    if unlink(child) != 0 { removeTree(child) }
  }
  rmdir(path)
}
