#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/netlink.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static char **arguments;

/* The GNU C library calls constructors with the arguments of main. */
__attribute__((constructor)) static void note_arguments(int count, char **words) {
  (void)count;
  arguments = words;
}

char **bgfetch_arguments(void) { return arguments; }

int bgfetch_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int bgfetch_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int bgfetch_clock_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int bgfetch_set_clock_timer(int timer, time_t seconds, long nanoseconds) {
  struct itimerspec moment;
  memset(&moment, 0, sizeof moment);
  moment.it_value.tv_sec = seconds;
  moment.it_value.tv_nsec = nanoseconds;
  return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &moment, NULL);
}

int bgfetch_device_events(void) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
  int events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
  if (events >= 0) bind(events, (struct sockaddr *)&address, sizeof address);
  return events;
}

/* By number, because glibc has the wrapper only since 2.36. */
int bgfetch_process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int bgfetch_child_status(pid_t child, int reap, int *exit_status, int *ending_signal) {
  siginfo_t found;
  int outcome;
  *exit_status = -1;
  *ending_signal = -1;
  do {
    memset(&found, 0, sizeof found);
    outcome = waitid(P_PID, (id_t)child, &found, WEXITED | WNOHANG | (reap ? 0 : WNOWAIT));
  } while (outcome == -1 && errno == EINTR);
  if (outcome == -1) return -1;
  if (found.si_pid == 0) return 0;
  if (found.si_code == CLD_EXITED) *exit_status = found.si_status;
  else *ending_signal = found.si_status;
  return 1;
}

const short bgfetch_spawn_flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
const short bgfetch_foreground_spawn_flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;

int bgfetch_add_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int bgfetch_add_change_directory(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

int bgfetch_rename_to_new(int directory, const char *name, int new_directory, const char *new_name) {
  return renameat2(directory, name, new_directory, new_name, RENAME_NOREPLACE);
}

void bgfetch_begin_writing(int file, off_t offset, off_t count) {
  sync_file_range(file, offset, count, SYNC_FILE_RANGE_WRITE);
}

int bgfetch_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned int bgfetch_file_system_type(const char *path) {
  struct statfs found;
  return statfs(path, &found) == 0 ? (unsigned int)found.f_type : 0;
}

char *const *bgfetch_environment(void) { return environ; }

/* Passes signals on to a child until it ends, and reaps all other children. */
static _Noreturn void serve_as_init(pid_t child, const sigset_t *signals) {
  for (;;) {
    siginfo_t found;
    int number = sigwaitinfo(signals, &found), status;
    pid_t ended;
    /* A terminal has sent its signals to the child too. */
    if (number > 0 && number != SIGCHLD && found.si_code != SI_KERNEL) kill(child, number);
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == child) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

void bgfetch_adopt_orphans(void) {
  sigset_t all, before;
  if (getpid() != 1) return;
  signal(SIGCHLD, SIG_DFL);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_t child = fork();
  if (child > 0) serve_as_init(child, &all);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

/* One for the process, like its signal handlers. Set before the handler is installed. */
static volatile sig_atomic_t stop_descriptor = -1;

static void report(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  /* If the pipe is full, the reader has enough signals to read. */
  if (write(stop_descriptor, &byte, 1) < 0) errno = 0;
  errno = saved;
}

int bgfetch_report_stop_signals(int descriptor) {
  static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
  stop_descriptor = descriptor;
  for (unsigned index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    struct sigaction action, before;
    if (sigaction(numbers[index], NULL, &before) == -1) return -1;
    if (before.sa_handler == SIG_IGN) continue;
    memset(&action, 0, sizeof action);
    action.sa_handler = report;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[index], &action, NULL) == -1) return -1;
  }
  return 0;
}

/* Large blocks go back to the system as soon as they are freed. By default glibc raises this limit to the size of the
   largest block that was freed, and the process keeps what only reading or planning a large configuration needed. With
   the limit set, glibc would also return the end of each heap as often as 128 KiB of it are free. */
__attribute__((constructor)) static void set_up_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  /* The heap of another thread grows by an mprotect(2) for every few pages. */
  mallopt(M_ARENA_MAX, 1);
}

uintptr_t bgfetch_new_bell(void) {
  sem_t *bell = malloc(sizeof *bell);
  /* Like Swift's own allocations: there is no way to continue without memory. */
  if (!bell) abort();
  sem_init(bell, 0, 0);
  return (uintptr_t)bell;
}

void bgfetch_free_bell(uintptr_t bell) {
  sem_destroy((sem_t *)bell);
  free((sem_t *)bell);
}

void bgfetch_ring(uintptr_t bell) { sem_post((sem_t *)bell); }

void bgfetch_wait_for_ring(uintptr_t bell, int64_t nanoseconds) {
  struct timespec end;
  if (nanoseconds >= 0) {
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += nanoseconds / 1000000000;
    end.tv_nsec += nanoseconds % 1000000000;
    if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
  }
  while ((nanoseconds < 0 ? sem_wait((sem_t *)bell) : sem_clockwait((sem_t *)bell, CLOCK_MONOTONIC, &end)) != 0 &&
         errno == EINTR) continue;
}
