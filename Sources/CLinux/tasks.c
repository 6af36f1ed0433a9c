/* The thread pool that Swift's tasks run on, instead of libdispatch's.

   Why: on Linux libdispatch wakes once a second to count its threads, so an idle `bgfetch run --watch` would wake for
   ever; and if the system refuses it a thread, it silently waits forever. The threads here sleep until there is a job or
   a timer, and the first one is started early, so that its failure can be reported.

   How: Swift calls `enqueue` for every job that is ready (swift_task_enqueueGlobal_hook). Jobs wait in a ring, timers in a
   sorted list; up to as many workers as cores take them. */
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define SWIFT_CALL __attribute__((swiftcall))

/* From Swift's runtime (swift/Runtime/Concurrency.h). An executor of zeros is the global one. */
extern SWIFT_CALL void swift_job_run(void *job, void *executor, uintptr_t implementation);
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, void *original);

struct timer {
  struct timer *next;
  uint64_t number;
  struct timespec at;
  void (*call)(void *);
  void *context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell; /* on CLOCK_MONOTONIC */
static void **jobs; /* a ring */
static size_t first, count, room;
static struct timer *timers; /* earliest first */
static uint64_t last_number;
static long workers, idle, max_workers;
static __thread int is_worker;

static int is_before(struct timespec a, struct timespec b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static int is_due(const struct timer *timer) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return !is_before(now, timer->at);
}

static void *work(void *unused) {
  is_worker = 1;
  pthread_mutex_lock(&lock);
  idle--;
  for (;;) {
    if (timers && is_due(timers)) {
      struct timer *timer = timers;
      timers = timer->next;
      pthread_mutex_unlock(&lock);
      timer->call(timer->context);
      free(timer);
      pthread_mutex_lock(&lock);
    } else if (count) {
      void *job = jobs[first];
      first = (first + 1) % room;
      count--;
      pthread_mutex_unlock(&lock);
      swift_job_run(job, NULL, 0);
      pthread_mutex_lock(&lock);
    } else {
      idle++;
      if (timers) {
        struct timespec at = timers->at;
        pthread_cond_timedwait(&bell, &lock, &at);
      } else {
        pthread_cond_wait(&bell, &lock);
      }
      idle--;
    }
  }
  return unused;
}

/* Starts one more worker. Call with the lock held. Returns 0 or an error number. */
static int start_worker(void) {
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_t thread;
  /* Signal handlers run on the main thread. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = pthread_create(&thread, &attributes, work, NULL);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) return error;
  workers++;
  idle++; /* it takes work as soon as it gets the lock */
  return 0;
}

/* Starts the first worker if there is none. Call with the lock held. Returns 0 or an error number. */
static int begin(void) {
  if (workers) return 0;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  /* Long work has threads of its own, so two are enough to notice budgets and signals. */
  max_workers = cores < 2 ? 2 : cores > 16 ? 16 : cores;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&bell, &attributes);
  pthread_condattr_destroy(&attributes);
  return start_worker();
}

/* Starts a worker for a new job if there are too few, and returns whether to wake an idle one. Call with the lock held. If
   no worker can be started, an existing one takes the job later. A worker that adds a single job takes it itself after its
   present one, which mostly ends at once. */
static int must_wake(void) {
  if (is_worker && count == 1) return 0;
  int any_idle = idle > 0;
  if (count > (size_t)idle && workers < max_workers) start_worker();
  return any_idle;
}

static SWIFT_CALL void enqueue(void *job, void *original) {
  (void)original;
  pthread_mutex_lock(&lock);
  if (count == room) {
    size_t larger = room ? 2 * room : 64;
    void **ring = malloc(larger * sizeof *ring);
    /* Like Swift's own allocations: there is no way to continue without memory. */
    if (!ring) abort();
    for (size_t i = 0; i < count; i++) ring[i] = jobs[(first + i) % room];
    free(jobs);
    jobs = ring;
    first = 0;
    room = larger;
  }
  jobs[(first + count++) % room] = job;
  int wakes = must_wake();
  pthread_mutex_unlock(&lock);
  /* Not earlier: the woken worker would wait for the lock. */
  if (wakes) pthread_cond_signal(&bell);
}

int bgfetch_run_tasks(void) {
  pthread_mutex_lock(&lock);
  int error = begin();
  if (!error) swift_task_enqueueGlobal_hook = enqueue;
  pthread_mutex_unlock(&lock);
  return error;
}

uint64_t bgfetch_start_timer(int64_t milliseconds, void (*call)(void *), void *context) {
  struct timer *timer = malloc(sizeof *timer);
  if (!timer) return 0;
  clock_gettime(CLOCK_MONOTONIC, &timer->at);
  timer->at.tv_sec += milliseconds / 1000;
  timer->at.tv_nsec += milliseconds % 1000 * 1000000;
  if (timer->at.tv_nsec >= 1000000000) {
    timer->at.tv_sec++;
    timer->at.tv_nsec -= 1000000000;
  }
  timer->call = call;
  timer->context = context;
  pthread_mutex_lock(&lock);
  if (begin()) {
    pthread_mutex_unlock(&lock);
    free(timer);
    return 0;
  }
  uint64_t number = timer->number = ++last_number;
  struct timer **place = &timers;
  while (*place && !is_before(timer->at, (*place)->at)) place = &(*place)->next;
  timer->next = *place;
  *place = timer;
  /* Workers that sleep until a later timer must check again. */
  if (timers == timer) {
    if (idle) pthread_cond_broadcast(&bell);
    else if (workers < max_workers) start_worker();
  }
  pthread_mutex_unlock(&lock);
  return number;
}

int bgfetch_stop_timer(uint64_t number) {
  struct timer *found = NULL;
  pthread_mutex_lock(&lock);
  for (struct timer **place = &timers; *place; place = &(*place)->next) {
    if ((*place)->number == number) {
      found = *place;
      *place = found->next;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  free(found);
  return found != NULL;
}
