// An open file, closed when nobody needs it any more. What is done with it is the business of its users.

import Glibc

/// A file descriptor and its only owner.
///
/// It is handed out for the length of a call only: a number kept longer could be closed, and given to another
/// file, while it is in use.
final class Descriptor: Sendable {
  private let number: Int32

  /// Takes over an open descriptor.
  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    // Whoever must know that the bytes arrived calls fsync; nothing is left to be learned from close.
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

  /// Lends the number to a system call, again if a signal interrupts it.
  @discardableResult
  func call<Number: SignedInteger>(_ body: (Int32) -> Number) throws(SystemError) -> Number {
    try systemCall { borrow(body) }
  }

  /// Lends the number.
  func borrow<Outcome>(_ body: (Int32) -> Outcome) -> Outcome {
    withExtendedLifetime(self) { body(number) }
  }

  /// Makes reads and writes fail with `EAGAIN` where they would wait.
  func stopWaiting() throws(SystemError) {
    let flags = try call { fcntl($0, F_GETFL) }
    try call { fcntl($0, F_SETFL, flags | O_NONBLOCK) }
  }

  /// At most so many bytes, none at the end of the file.
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

  /// Reads at most so many bytes at a place into the beginning of a buffer that is long enough; gives how many, none at
  /// the end of the file.
  func read(into buffer: inout [UInt8], _ count: Int, at offset: Int64) throws(SystemError) -> Int {
    try call { pread($0, &buffer, count, off_t(offset)) }
  }
}
