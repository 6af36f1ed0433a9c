// How long tests wait for what never comes. scripts/run-tests waits longer.

internal import Glibc
internal import Testing

/// The longest time that a test waits for anything: far more than the slowest machine needs, so that what never comes is a
/// failure that says so.
public let longestWait = Duration.seconds(300)

/// Waits until something has become true; false if it has not within `longestWait`.
public func eventually(_ condition: () -> Bool) async -> Bool {
  let start = ContinuousClock.now
  while !condition() {
    guard ContinuousClock.now - start < longestWait, !Task.isCancelled else { return false }
    // What is waited for is another process's doing, so there is nothing to be told by.
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

/// Makes the current test fail, because something did not come within `longestWait`.
public func recordWaitInVain(for what: String) {
  // The place without the macro of Swift Testing, which only test targets can use.
  let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
  Issue.record("waited \(longestWait) in vain for \(what)", sourceLocation: place)
}
