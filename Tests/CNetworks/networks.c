#define _GNU_SOURCE
#include "CNetworks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int bgfetch_new_network(void) {
  if (unshare(CLONE_NEWNET) != 0) return -1;
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

int bgfetch_enter_network(int network) { return setns(network, CLONE_NEWNET); }

int bgfetch_instruction_counter(void) {
  struct perf_event_attr event;
  memset(&event, 0, sizeof event);
  event.type = PERF_TYPE_HARDWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  /* Never shared with other events: a count that is estimated would be wrong for short work. */
  event.pinned = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
