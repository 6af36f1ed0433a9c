/*
 * Preloaded into the program under test: stops it at its N-th effect on the files below a directory, or makes that effect
 * fail. An effect is a call that changes what is on the disk: open with O_CREAT or O_TRUNC, write, ftruncate, fallocate,
 * fsync, rename, link, unlink, mkdir, rmdir, mknod, chmod.
 *
 *   STOP_BELOW  the directory; effects elsewhere are not counted
 *   STOP_COUNT  a file to which each effect adds one line: its call and its path
 *   STOP_AT     N, from 1 on; absent: only count
 *   STOP_HOW    kill: the N-th effect happens, then SIGKILL; tear: of the N-th effect, if it writes, only the first half
 *               happens, then SIGKILL; term: it happens, then SIGTERM; a number: the effect fails with this errno. With
 *               EAGAIN and ENFILE the effects are the requests for threads and processes, and for descriptors, anywhere
 *   STOP_REST   set: all later effects fail, too; absent: only the N-th
 *
 * The variables are gone from the environment when main begins, so that hooks run undisturbed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

static char below[PATH_MAX];
static int count_file = -1;
static long stop_at;
static int stop_error; /* 0: kill */
static int tears, asks, stops_rest;
static atomic_long effects;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* The 64 names are the same functions; SQLite and Swift use either. */
int open64(const char *, int, ...);
int openat64(int, const char *, int, ...);

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("STOP_BELOW");
  if (!text) return;
  snprintf(below, sizeof below, "%s", text);
  if ((text = getenv("STOP_AT"))) stop_at = atol(text);
  if ((text = getenv("STOP_HOW"))) {
    stop_error = atoi(text);
    tears = !strcmp(text, "tear");
    asks = !strcmp(text, "term");
  }
  stops_rest = getenv("STOP_REST") != NULL;
  if ((text = getenv("STOP_COUNT"))) {
    int opened = REAL(open)(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Out of the way of the low numbers, which some programs look at. */
    count_file = fcntl(opened, F_DUPFD_CLOEXEC, 900);
    close(opened);
  }
  unsetenv("LD_PRELOAD");
  unsetenv("STOP_BELOW");
  unsetenv("STOP_COUNT");
  unsetenv("STOP_AT");
  unsetenv("STOP_HOW");
  unsetenv("STOP_REST");
}

enum kind { MAKES, OPENS, WRITES, SYNCS, MOVES, REMOVES, DESCRIBES, STARTS };

/* Whether a call of this kind can fail in this way. */
static int can_fail(enum kind kind, const char *call) {
  switch (stop_error) {
    case ENOSPC:
    case EDQUOT: return kind == MAKES || kind == WRITES || kind == SYNCS || kind == MOVES;
    case EMFILE: return !strcmp(call, "open");
    case ENFILE: return kind == DESCRIBES || !strcmp(call, "open");
    case EAGAIN: return kind == STARTS;
    default: return kind != OPENS && kind != DESCRIBES && kind != STARTS;
  }
}

enum verdict { HAPPENS, DIES_AFTER, ASKED_AFTER, TEARS, FAILS };

static enum verdict judge(enum kind kind, const char *call, const char *path) {
  size_t length = strlen(below);
  int is_anywhere = stop_error == EAGAIN || stop_error == ENFILE;
  if (!length || (!is_anywhere && strncmp(path, below, length) != 0)) return HAPPENS;
  if (kind == OPENS && !(stop_error == EMFILE || stop_error == ENFILE)) return HAPPENS;
  if (stop_error && !can_fail(kind, call)) return HAPPENS;
  long number = atomic_fetch_add(&effects, 1) + 1;
  if (count_file >= 0) {
    char line[PATH_MAX + 64];
    int size = snprintf(line, sizeof line, "%s %s\n", call, path);
    if (REAL(write)(count_file, line, size) < 0) abort();
  }
  if (!stop_at || number < stop_at || (number > stop_at && !stops_rest)) return HAPPENS;
  if (stop_error) {
    errno = stop_error;
    return FAILS;
  }
  return tears ? TEARS : asks ? ASKED_AFTER : DIES_AFTER;
}

static enum verdict judge_file(enum kind kind, const char *call, int file) {
  /* What is printed is no effect. */
  if (file <= STDERR_FILENO) return HAPPENS;
  int saved = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (size < 0) return HAPPENS;
  path[size] = 0;
  return judge(kind, call, path);
}

static enum verdict judge_at(enum kind kind, const char *call, int directory, const char *name) {
  if (name[0] == '/') return judge(kind, call, name);
  int saved = errno;
  char link[64], path[2 * PATH_MAX];
  snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
  ssize_t size = readlink(link, path, PATH_MAX);
  errno = saved;
  if (size < 0) return HAPPENS;
  snprintf(path + size, sizeof path - size, "/%s", name);
  return judge(kind, call, path);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void ask(void) {
  int saved = errno;
  kill(getpid(), SIGTERM);
  errno = saved;
}

#define FINISH(verdict, call) \
  __typeof__(call) done_ = (call); \
  if ((verdict) == DIES_AFTER || (verdict) == TEARS) die(); \
  if ((verdict) == ASKED_AFTER) ask(); \
  return done_

/* What happens to a call of which there is no half. */
#define CHANGE(judged, call) \
  enum verdict verdict_ = (judged); \
  if (verdict_ == FAILS) return -1; \
  FINISH(verdict_, call)

static enum kind open_kind(const char *path, int flags) {
  if (flags & O_TRUNC) return MAKES;
  if ((flags & O_TMPFILE) == O_TMPFILE) return MAKES;
  /* Opening what is there changes nothing. */
  return flags & O_CREAT && access(path, F_OK) != 0 ? MAKES : OPENS;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  CHANGE(judge_at(open_kind(path, flags), "open", AT_FDCWD, path), REAL(open)(path, flags, mode));
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  CHANGE(judge_at(open_kind(path, flags), "open", AT_FDCWD, path), REAL(open)(path, flags | O_LARGEFILE, mode));
}
static int opens_at(int directory, const char *path, int flags) {
  int saved = errno;
  int there = faccessat(directory, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  errno = saved;
  if (flags & O_TRUNC || (flags & O_TMPFILE) == O_TMPFILE) return MAKES;
  return flags & O_CREAT && !there ? MAKES : OPENS;
}
int openat(int directory, const char *path, int flags, ...) {
  MODE(flags)
  CHANGE(judge_at(opens_at(directory, path, flags), "open", directory, path),
         REAL(openat)(directory, path, flags, mode));
}
int openat64(int directory, const char *path, int flags, ...) {
  MODE(flags)
  CHANGE(judge_at(opens_at(directory, path, flags), "open", directory, path),
         REAL(openat)(directory, path, flags | O_LARGEFILE, mode));
}

/* Half of what is written, if the process is to be torn from it. */
#define SIZE(verdict, size) ((verdict) == TEARS ? (size) / 2 : (size))

ssize_t write(int file, const void *bytes, size_t size) {
  enum verdict verdict = below[0] ? judge_file(WRITES, "write", file) : HAPPENS;
  if (verdict == FAILS) return -1;
  FINISH(verdict, REAL(write)(file, bytes, SIZE(verdict, size)));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  enum verdict verdict = judge_file(WRITES, "pwrite", file);
  if (verdict == FAILS) return -1;
  FINISH(verdict, REAL(pwrite)(file, bytes, SIZE(verdict, size), offset));
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset) {
  return pwrite(file, bytes, size, offset);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  CHANGE(judge_file(WRITES, "writev", file), REAL(writev)(file, parts, count));
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  CHANGE(judge_file(WRITES, "pwritev", file), REAL(pwritev)(file, parts, count, offset));
}
int ftruncate(int file, off_t size) {
  CHANGE(judge_file(stop_error == ENOSPC ? OPENS : WRITES, "ftruncate", file), REAL(ftruncate)(file, size));
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
int fallocate(int file, int mode, off_t offset, off_t size) {
  CHANGE(judge_file(WRITES, "fallocate", file), REAL(fallocate)(file, mode, offset, size));
}
int posix_fallocate(int file, off_t offset, off_t size) {
  enum verdict verdict = judge_file(WRITES, "fallocate", file);
  if (verdict == FAILS) return stop_error;
  FINISH(verdict, REAL(posix_fallocate)(file, offset, size));
}
int posix_fallocate64(int file, off_t offset, off_t size) { return posix_fallocate(file, offset, size); }
int fsync(int file) { CHANGE(judge_file(SYNCS, "fsync", file), REAL(fsync)(file)); }
int fdatasync(int file) { CHANGE(judge_file(SYNCS, "fsync", file), REAL(fdatasync)(file)); }

int rename(const char *old, const char *new) {
  CHANGE(judge_at(MOVES, "rename", AT_FDCWD, new), REAL(rename)(old, new));
}
int renameat(int from, const char *old, int to, const char *new) {
  CHANGE(judge_at(MOVES, "rename", to, new), REAL(renameat)(from, old, to, new));
}
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  CHANGE(judge_at(MOVES, "rename", to, new), REAL(renameat2)(from, old, to, new, flags));
}
int link(const char *old, const char *new) {
  CHANGE(judge_at(MOVES, "link", AT_FDCWD, new), REAL(link)(old, new));
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  CHANGE(judge_at(MOVES, "link", to, new), REAL(linkat)(from, old, to, new, flags));
}
int unlink(const char *path) { CHANGE(judge_at(REMOVES, "unlink", AT_FDCWD, path), REAL(unlink)(path)); }
int unlinkat(int directory, const char *path, int flags) {
  CHANGE(judge_at(REMOVES, "unlink", directory, path), REAL(unlinkat)(directory, path, flags));
}
int rmdir(const char *path) { CHANGE(judge_at(REMOVES, "rmdir", AT_FDCWD, path), REAL(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) {
  int kind = access(path, F_OK) == 0 ? OPENS : MAKES;
  CHANGE(judge_at(kind, "mkdir", AT_FDCWD, path), REAL(mkdir)(path, mode));
}
int mkdirat(int directory, const char *path, mode_t mode) {
  int kind = faccessat(directory, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? OPENS : MAKES;
  CHANGE(judge_at(kind, "mkdir", directory, path), REAL(mkdirat)(directory, path, mode));
}
int mknod(const char *path, mode_t mode, dev_t device) {
  int kind = access(path, F_OK) == 0 ? OPENS : MAKES;
  CHANGE(judge_at(kind, "mknod", AT_FDCWD, path), REAL(mknod)(path, mode, device));
}
int chmod(const char *path, mode_t mode) {
  CHANGE(judge_at(REMOVES, "chmod", AT_FDCWD, path), REAL(chmod)(path, mode));
}
int fchmod(int file, mode_t mode) { CHANGE(judge_file(REMOVES, "chmod", file), REAL(fchmod)(file, mode)); }

int pipe(int ends[2]) { CHANGE(judge(DESCRIBES, "pipe", ""), REAL(pipe)(ends)); }
int pipe2(int ends[2], int flags) { CHANGE(judge(DESCRIBES, "pipe", ""), REAL(pipe2)(ends, flags)); }
int socket(int domain, int type, int protocol) {
  CHANGE(judge(DESCRIBES, "socket", ""), REAL(socket)(domain, type, protocol));
}
int socketpair(int domain, int type, int protocol, int ends[2]) {
  CHANGE(judge(DESCRIBES, "socketpair", ""), REAL(socketpair)(domain, type, protocol, ends));
}
int eventfd(unsigned start, int flags) { CHANGE(judge(DESCRIBES, "eventfd", ""), REAL(eventfd)(start, flags)); }
int epoll_create1(int flags) { CHANGE(judge(DESCRIBES, "epoll", ""), REAL(epoll_create1)(flags)); }
int inotify_init1(int flags) { CHANGE(judge(DESCRIBES, "inotify", ""), REAL(inotify_init1)(flags)); }
int timerfd_create(int clock, int flags) {
  CHANGE(judge(DESCRIBES, "timerfd", ""), REAL(timerfd_create)(clock, flags));
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *context) {
  if (judge(STARTS, "thread", "") == FAILS) return stop_error;
  return REAL(pthread_create)(thread, attributes, work, context);
}
int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  if (judge(STARTS, "process", "") == FAILS) return stop_error;
  return REAL(posix_spawn)(process, path, actions, attributes, arguments, environment);
}
