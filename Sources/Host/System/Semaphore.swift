// Threads that wait for each other, without Swift's pool and without libdispatch.

import Glibc

/// A semaphore of the C library, which is used by its address; it is its threads' for as long as the process lives.
final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one who waits go on, now or later.
  func signal() { sem_post(semaphore) }

  /// Waits for a signal.
  func wait() { while sem_wait(semaphore) != 0 {} }
}
