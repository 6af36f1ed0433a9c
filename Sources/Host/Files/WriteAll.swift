// Writing all of some bytes, whatever the system makes of them in between.

import Glibc

/// Writes every byte, waiting where the reader is slow.
///
/// Works for descriptors in non-blocking mode too: a terminal shared with another program may be put in it at
/// any time. `SIGPIPE` must be ignored (`Signals.ignoreBrokenPipes()`); then a reader that has gone away is
/// the error whose `isBrokenPipe` is true.
public func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) {
  var written = 0
  while written < bytes.count {
    do throws(SystemError) {
      written += try systemCall {
        bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written) }
      }
    } catch {
      guard error.code == EAGAIN else { throw error }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      try systemCall { poll(&wanted, 1, -1) }
    }
  }
}
