/* The loader of the libraries. */

#ifndef BGFETCH_LATE_H
#define BGFETCH_LATE_H

/* A function of a library, and the variable for its address. */
struct late_function {
  const char *name;
  void **address;
};

/* A library under its usual name, or else another one. The functions end with a row of zeros. */
struct late_library {
  const char *names[3];
  const struct late_function *functions;
  /* 0 before it is loaded. */
  int has_tried;
  char problem[256];
};

/* Loads a library for the process and looks its functions up, at the first call; may be called from any thread. Returns NULL, or
   what is missing, as a text that is never freed. */
const char *late_load(struct late_library *library);

/* Rows of a list of functions for the loader; CLate.h makes them members of the table `lib`. */
#define LATE_ROW(name, ...) {#name, (void **)&lib.name},

#endif
