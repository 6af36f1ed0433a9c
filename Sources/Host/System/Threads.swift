// Threads for what blocks in the system. Swift's pool has one thread a core, so nothing may wait on it.

import CLinux  // to Swift, sigset_t comes from the header that it meets first: that one's
import Glibc

/// Runs a body on a new thread that takes no signals, so that handlers run on the program's other threads.
func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

  // A thread begins with its maker's mask.
  var everySignal = sigset_t()
  var before = sigset_t()
  sigfillset(&everySignal)
  pthread_sigmask(SIG_SETMASK, &everySignal, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { argument in
      if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, box.toOpaque())
  guard code == 0 else {
    box.release()
    throw SystemError(code: code)
  }
}

/// A closure as an object, since a C function pointer can carry no more than one pointer.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
