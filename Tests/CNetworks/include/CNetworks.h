/* Network namespaces and a counter for tests: calls that Swift's Glibc module does not show, because it is built without _GNU_SOURCE. */
#ifndef BGFETCH_CNETWORKS_H
#define BGFETCH_CNETWORKS_H

/* unshare(2) of the calling thread's network; gives a descriptor of the new one, close-on-exec, or -1 with errno set. */
int bgfetch_new_network(void);

/* setns(2): from now on the calling thread, and what it starts, is in that network; -1 with errno set if not. */
int bgfetch_enter_network(int network);

/* perf_event_open(2): a descriptor, close-on-exec, from which the calling thread reads the number of its instructions outside
   the kernel as 64 bits; -1 with errno set if the machine does not count them. */
int bgfetch_instruction_counter(void);

#endif
