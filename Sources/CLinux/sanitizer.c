/* What the thread sanitizer must not report (make sanitize). */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

/* ProcessLoop's two threads share only its inbox, behind a Mutex of Swift's library. The sanitizer does not see that lock,
   because the library is not compiled for it; the compiler lets nobody reach the inbox without the lock. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:ProcessLoopC*5Inbox\n"; }

#endif
#endif
