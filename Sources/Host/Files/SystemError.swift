// An error number of the system as a value, and calls made again when a signal interrupted them.

import Glibc

/// What a system call said when it failed: an error number of errno(3).
public struct SystemError: Error, Hashable, Sendable {
  /// The number, for example `ENOSPC`.
  public let code: Int32

  /// The error of a number.
  public init(code: Int32) {
    self.code = code
  }

  /// The system's words for it, for example `No space left on device`.
  public var text: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the reader of a pipe, socket or terminal has gone away.
  public var isBrokenPipe: Bool { code == EPIPE }
}

/// Makes a call that returns a negative number and sets errno when it fails; one that a signal interrupted is
/// made again.
@discardableResult
func systemCall<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number {
  while true {
    let outcome = call()
    if outcome >= 0 { return outcome }
    let code = errno
    if code != EINTR { throw SystemError(code: code) }
  }
}
