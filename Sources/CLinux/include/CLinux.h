/* GNU and Linux calls that Swift's Glibc module does not show, because it is built without _GNU_SOURCE.
   Thin on purpose: what is done with them is decided in Host, the only importer. Each returns what the call
   returns, with errno set on -1, unless it says otherwise. */
#ifndef BGFETCH_CLINUX_H
#define BGFETCH_CLINUX_H

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* pipe2(2) with O_CLOEXEC. */
int bgfetch_pipe(int ends[2]);

/* eventfd(2), close-on-exec and non-blocking. */
int bgfetch_event_descriptor(void);

/* timerfd_create(2) on the time of day, close-on-exec and non-blocking. */
int bgfetch_clock_timer(void);

/* Lets it go off at a moment of the time of day, or when the clock is set before that (ECANCELED); 0 and 0 is never. */
int bgfetch_set_clock_timer(int timer, time_t seconds, long nanoseconds);

/* pidfd_open(2); -1 with ENOSYS before Linux 5.3. */
int bgfetch_process_descriptor(pid_t process);

/* Whether a child has ended (1) or not yet (0), and how: its exit status, or else the signal that ended it.
   The other of the two is -1. With `reap` 0 the child stays a zombie, so that its number, and that of its
   process group, cannot be given to another process. */
int bgfetch_child_status(pid_t child, int reap, int *exit_status, int *ending_signal);

/* For posix_spawnattr_setflags: a session and process group of its own, default signals, the mask given. */
extern const short bgfetch_spawn_flags;

/* posix_spawn_file_actions_addclosefrom_np and ..._addchdir_np; they return an error number, 0 is success. */
int bgfetch_add_close_from(posix_spawn_file_actions_t *actions, int first);
int bgfetch_add_change_directory(posix_spawn_file_actions_t *actions, const char *path);

/* renameat2(2) with RENAME_NOREPLACE: -1 with EEXIST where the new name is taken, with EINVAL or ENOSYS where the file
   system or the kernel cannot promise that. */
int bgfetch_rename_to_new(int directory, const char *name, int new_directory, const char *new_name);

/* sync_file_range(2): the disk begins to write a part of a file, and nobody waits for it or hears how that went. */
void bgfetch_begin_writing(int file, off_t offset, off_t count);

/* The columns of the terminal behind a descriptor; 0 if it is none or does not know. */
int bgfetch_terminal_columns(int descriptor);

/* Its lines; 0 as above. */
int bgfetch_terminal_rows(int descriptor);

/* The type of the file system that a path lies on, statfs(2); 0 if that cannot be told. */
unsigned int bgfetch_file_system_type(const char *path);

/* environ(7). */
char *const *bgfetch_environment(void);

/* From now on SIGHUP, SIGINT and SIGTERM write one byte, their number, to a descriptor. One that was ignored when
   the program began (a background job of a shell without job control, nohup) stays ignored. */
int bgfetch_report_stop_signals(int descriptor);

/* From now on SIGTSTP, the terminal's suspend key, erases what stands below the cursor of standard error before it stops
   the process, where bgfetch_note_below said that there is something. */
int bgfetch_erase_when_stopped(void);
void bgfetch_note_below(int is_there);

/* From now on Swift's tasks run on threads of this library instead of libdispatch's: as many as there are cores,
   two at least. 0, or the error number with which the system refused the first thread. */
int bgfetch_run_tasks(void);

/* Calls a function once, on a thread that tasks run on, after a time that stands still while the machine sleeps; the
   function must be quick. A number greater than 0; 0 if there is no memory or no thread. */
uint64_t bgfetch_start_timer(int64_t milliseconds, void (*call)(void *), void *context);

/* 1 if the timer was there and now is not; 0 if its function was called, or is about to be. */
int bgfetch_stop_timer(uint64_t number);

#endif
