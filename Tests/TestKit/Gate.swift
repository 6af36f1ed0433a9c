// Something a server thread waits for and a test opens, so that neither has to guess how long the other takes.

internal import Glibc

/// A gate that is closed until a test opens it, then open for good.
public final class Gate: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  /// A closed gate.
  public init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fatalError("no pipe: errno \(errno)") }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Lets everyone through who waits or will wait.
  public func open() {
    // What was written is never read, so the end stays readable for every waiter.
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

/// What ended a wait.
enum WaitEnd {
  case opened, peerClosed, timedOut
}

/// Waits until `gate` opens, `stop` opens or the peer of `socket` closes; without a gate only for the others.
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
