// The doors to the Linux machine: files, locks, processes, the network, clocks, signals, terminals and the user's session.
//
// Files/ reads and writes, Processes/ runs hooks and secret commands, System/ has facts about the machine, Documents/
// places downloads, Network/ sends requests by libcurl. No rules about feeds and no wording of messages: those are in Core and bgfetch.
// This file has what all of these share: error numbers and open descriptors.

import CLinux
import Glibc

/// An error number of errno(3), from a system call that failed.
public struct SystemError: Error, Equatable, Sendable {
  public let code: Int32

  public init(code: Int32) {
    self.code = code
  }

  /// The system's words for it, for example `No space left on device`.
  public var text: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    let text = String(upToNUL: buffer)
    // Calls that could wait are repeated, so what is refused is a thread or a process (pthread_create(3), fork(2)).
    return code == EAGAIN ? "the system refuses another thread or process (\(text))" : text
  }

  /// Whether the reader of a pipe, socket or terminal has gone away.
  public var isBrokenPipe: Bool { code == EPIPE }
}

extension String {
  /// The text in a buffer that a C function has filled, repaired if it is not UTF-8.
  init(upToNUL buffer: [CChar]) {
    self.init(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Makes a call that returns a negative number and sets errno on failure; repeats it if a signal interrupts it.
@discardableResult
func systemCall<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number {
  while true {
    let outcome = call()
    if outcome >= 0 { return outcome }
    let code = errno
    if code != EINTR { throw SystemError(code: code) }
  }
}

/// The outcome of system calls; nil if they fail with one of some codes, such as `ENOENT`.
func unless<Outcome>(
  _ codes: Int32..., in outcome: @autoclosure () throws(SystemError) -> Outcome
) throws(SystemError) -> Outcome? {
  do throws(SystemError) {
    return try outcome()
  } catch {
    guard codes.contains(error.code) else { throw error }
    return nil
  }
}

/// Writes every byte, and waits if the reader is slow.
///
/// Works for descriptors in non-blocking mode too: another program that shares the terminal may set that mode at any
/// time. `SIGPIPE` must be ignored (`Signals.ignoreBrokenPipes()`); a reader that has gone away is then an error whose
/// `isBrokenPipe` is true.
func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) {
  var written = 0
  while written < bytes.count {
    do throws(SystemError) {
      written += try systemCall {
        bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written) }
      }
    } catch {
      guard error.code == EAGAIN else { throw error }
      try waitUntil(POLLOUT, on: descriptor)
    }
  }
}

/// Waits until a descriptor can be read (`POLLIN`) or written (`POLLOUT`); false after the time limit, in milliseconds.
@discardableResult
func waitUntil(_ event: Int32, on descriptor: Int32, atMost limit: Int32 = -1) throws(SystemError) -> Bool {
  try systemCall {
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&waiting, 1, limit)
  } > 0
}

/// A file descriptor and its only owner, which closes it.
///
/// Callers get the number only for the length of a call. A number that is kept longer could be closed, and given to
/// another file, while it is in use.
final class Descriptor: Sendable {
  private let number: Int32

  /// Takes over an open descriptor.
  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    // Code that must know whether the bytes are on the disk calls fsync; close does not add to that.
    close(number)
  }

  /// Opens a path; `O_CLOEXEC` is always set, so that children never inherit it.
  static func open(_ path: String, _ flags: Int32, permissions: UInt32 = 0) throws(SystemError) -> Descriptor
  {
    Descriptor(owning: try systemCall { Glibc.open(path, flags | O_CLOEXEC, permissions) })
  }

  /// Opens a name in this directory; `O_CLOEXEC` is always set.
  func open(_ name: String, _ flags: Int32, permissions: UInt32 = 0) throws(SystemError) -> Descriptor {
    Descriptor(owning: try call { openat($0, name, flags | O_CLOEXEC, permissions) })
  }

  /// Opens a directory in this one; a link is not followed.
  func openDirectory(_ name: String) throws(SystemError) -> Descriptor {
    try open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// A second descriptor of an open file.
  static func copy(of number: Int32) throws(SystemError) -> Descriptor {
    Descriptor(owning: try systemCall { fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) })
  }

  /// Passes the number to a system call, again if a signal interrupts it.
  @discardableResult
  func call<Number: SignedInteger>(_ body: (Int32) -> Number) throws(SystemError) -> Number {
    try systemCall { borrow(body) }
  }

  /// Passes the number to a closure.
  func borrow<Outcome, Failure: Error>(_ body: (Int32) throws(Failure) -> Outcome) throws(Failure) -> Outcome
  {
    try withExtendedLifetime(self) { () throws(Failure) in try body(number) }
  }

  /// Makes reads and writes fail with `EAGAIN` instead of waiting.
  func stopWaiting() throws(SystemError) {
    let flags = try call { fcntl($0, F_GETFL) }
    try call { fcntl($0, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Reads at most `count` bytes; none means the end of the file.
  func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try call { Glibc.read($0, buffer.baseAddress, count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads at most `count` bytes at an offset into the beginning of a buffer that is long enough.
  ///
  /// - Returns: the number of bytes; 0 at the end of the file.
  func read(into buffer: inout [UInt8], _ count: Int, at offset: Int64) throws(SystemError) -> Int {
    try call { pread($0, &buffer, count, off_t(offset)) }
  }
}

/// The two ends of a pipe, closed on exec.
struct Pipe {
  let reading: Descriptor
  let writing: Descriptor

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try systemCall { bgfetch_pipe(&ends) }
    reading = Descriptor(owning: ends[0])
    writing = Descriptor(owning: ends[1])
  }
}
