// The one thread of a loop.

private import Glibc

/// A thread that runs one closure; it is joined once.
struct LoopThread: Sendable {
  private let id: pthread_t

  /// Starts the thread, with every signal blocked in it; nil if the system gives no more threads.
  ///
  /// Signals are for the rest of the program; and `SIGPIPE`, which libcurl under `CURLOPT_NOSIGNAL` leaves to us,
  /// must not end the process when a server closes.
  init?(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var id = pthread_t()
    let code = pthread_create(
      &id, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      return nil
    }
    self.id = id
  }

  /// Waits until the closure has returned; from within it, returns at once and lets the thread go by itself.
  func join() {
    if pthread_equal(id, pthread_self()) != 0 {
      pthread_detach(id)
    } else {
      pthread_join(id, nil)
    }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
