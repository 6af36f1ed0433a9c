/* GNU and Linux calls that Swift's Glibc module lacks, because it is built without _GNU_SOURCE.
   Host is the only importer and makes all decisions. Unless noted, each function returns the result of its system call,
   with errno set on -1. */
#ifndef BGFETCH_CLINUX_H
#define BGFETCH_CLINUX_H

#ifdef __swift__
/* Swift then attributes the types of the system's headers to Glibc, as everywhere else. */
#pragma clang module import SwiftGlibc
#endif
#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The arguments of main, with a NULL after the last one. Swift reads them from /proc, which may be missing. */
char **bgfetch_arguments(void);

/* pipe2(2) with O_CLOEXEC. */
int bgfetch_pipe(int ends[2]);

/* eventfd(2), close-on-exec and non-blocking. */
int bgfetch_event_descriptor(void);

/* timerfd_create(2) on the time of day, close-on-exec and non-blocking. */
int bgfetch_clock_timer(void);

/* Makes the timer fire at a moment of the time of day, or when the clock is set before that (ECANCELED). */
int bgfetch_set_clock_timer(int timer, time_t seconds, long nanoseconds);

/* A socket with the events of devices (netlink(7)), close-on-exec and non-blocking. */
int bgfetch_device_events(void);

/* pidfd_open(2); -1 with ENOSYS before Linux 5.3. */
int bgfetch_process_descriptor(pid_t process);

/* 1 if a child has ended, 0 if not. Sets the exit status or the signal that ended it, and the other one to -1. With
   `reap` 0 the child stays a zombie, so that no other process can get its number or that of its process group. */
int bgfetch_child_status(pid_t child, int reap, int *exit_status, int *ending_signal);

/* For posix_spawnattr_setflags: a new session, default signals, the given signal mask. */
extern const short bgfetch_spawn_flags;

/* The same in the session of the caller, whose terminal the program may use. */
extern const short bgfetch_foreground_spawn_flags;

/* posix_spawn_file_actions_addclosefrom_np and ..._addchdir_np; they return an error number, 0 is success. */
int bgfetch_add_close_from(posix_spawn_file_actions_t *actions, int first);
int bgfetch_add_change_directory(posix_spawn_file_actions_t *actions, const char *path);

/* renameat2(2) with RENAME_NOREPLACE: EEXIST if the new name is taken, EINVAL or ENOSYS if the file system or the kernel
   does not support it. */
int bgfetch_rename_to_new(int directory, const char *name, int new_directory, const char *new_name);

/* sync_file_range(2): starts writing a part of a file to the disk, without waiting and without an error report. */
void bgfetch_begin_writing(int file, off_t offset, off_t count);

/* The columns of a descriptor's terminal; 0 if it is not a terminal or does not say. */
int bgfetch_terminal_columns(int descriptor);

/* The type of a path's file system (statfs(2)); 0 if unknown. */
unsigned int bgfetch_file_system_type(const char *path);

/* environ(7). */
char *const *bgfetch_environment(void);

/* As process 1, such as in a container, a program is given all orphans of the system, which it has to reap, and it gets no signal
   that it does not handle. Then the work goes on in a child: this process passes signals on, reaps, and ends as the child does. In
   any other process nothing happens. To be called before there are threads. */
void bgfetch_adopt_orphans(void);

/* Makes SIGHUP, SIGINT and SIGTERM write their number as one byte to a descriptor. A signal that was ignored when the
   program started (nohup, a background job of a shell without job control) stays ignored. */
int bgfetch_report_stop_signals(int descriptor);

/* A semaphore, by its address: a wait ends for each ring. */
uintptr_t bgfetch_new_bell(void);
void bgfetch_free_bell(uintptr_t bell);
void bgfetch_ring(uintptr_t bell);

/* Waits for a ring, at most so many nanoseconds by a clock that stops while the machine sleeps; below 0 means for ever. */
void bgfetch_wait_for_ring(uintptr_t bell, int64_t nanoseconds);

#endif
