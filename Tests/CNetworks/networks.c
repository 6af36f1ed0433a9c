#define _GNU_SOURCE
#include "CNetworks.h"

#include <fcntl.h>
#include <sched.h>

int bgfetch_new_network(void) {
  if (unshare(CLONE_NEWNET) != 0) return -1;
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

int bgfetch_enter_network(int network) { return setns(network, CLONE_NEWNET); }
