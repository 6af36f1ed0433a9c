// Whether the system gives threads at all: where it gives none, libdispatch waits for one for ever, without a word.

/// Sees whether this process gets the threads without which nothing that is asynchronous goes on.
///
/// One for each core at which Swift's pool begins, one for the timers, and one for what blocks; on a machine with more
/// cores the pool does with fewer than it would like.
/// - Throws: the system's reason, as of pthread_create(3): too many processes (`RLIMIT_NPROC`) or too little memory.
public func seeThatThreadsStart() throws(SystemError) {
  let mayEnd = Semaphore()
  var started = 0
  // Nothing waits for their end: a thread that is still ending when the next one is wanted is waited for by libdispatch.
  defer { for _ in 0..<started { mayEnd.signal() } }
  for _ in 0..<4 {
    try startThread { mayEnd.wait() }
    started += 1
  }
}
