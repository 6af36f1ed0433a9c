/* What the thread sanitizer needs in order to see the locks of Swift's Mutex (make sanitize).
 *
 * The Mutex of Swift's Synchronization is a priority-inheritance futex (futex(2)). Its quick way is compiled into our code,
 * where the sanitizer sees it; the way through the kernel is in a library that is not compiled for the sanitizer, so that
 * it would take everything behind a contended lock for a race. These two functions take the place of that library's. */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The second that it sleeps before each exit, for threads that still run, would make thousands of programs slow. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "atexit_sleep_ms=0"; }

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* _MutexHandle._lockSlow(_: UInt32) and _unlockSlow(), which have their handle in the register for self. */
__attribute__((swiftcall)) void bgfetch_lock_slow(uint32_t thread, __attribute__((swift_context)) uint32_t *handle)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((swiftcall)) void bgfetch_unlock_slow(__attribute__((swift_context)) uint32_t *handle)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

__attribute__((swiftcall)) void bgfetch_lock_slow(uint32_t thread, __attribute__((swift_context)) uint32_t *handle) {
  (void)thread;
  /* Interrupted, or the owner is about to end: try again. */
  while (syscall(SYS_futex, handle, FUTEX_LOCK_PI_PRIVATE, 0, NULL)) {}
  __tsan_acquire(handle);
}

__attribute__((swiftcall)) void bgfetch_unlock_slow(__attribute__((swift_context)) uint32_t *handle) {
  __tsan_release(handle);
  while (syscall(SYS_futex, handle, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL)) {}
}

#endif
#endif
