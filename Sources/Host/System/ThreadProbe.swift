// Whether the system gives threads at all: where it gives none, libdispatch waits for one for ever, without a word.

import Synchronization

/// Sees whether this process gets the threads without which nothing that is asynchronous goes on.
///
/// One for each core at which Swift's pool begins, one for the timers, and one for what blocks; on a machine with more
/// cores the pool does with fewer than it would like.
/// - Throws: the system's reason, as of pthread_create(3): too many processes (`RLIMIT_NPROC`) or too little memory.
public func seeThatThreadsStart() throws(SystemError) {
  let gate = Gate()
  // Nothing waits for their end: a thread that is still ending when the next one is wanted is waited for by libdispatch.
  try gate.closed.withLock { _ throws(SystemError) in
    for _ in 0..<4 {
      try startThread { gate.closed.withLock { _ in } }
    }
  }
}

/// What keeps the threads from ending before all of them are there.
private final class Gate: Sendable {
  let closed = Mutex(())
}
