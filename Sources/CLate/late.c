#include "late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void load(struct late_library *library) {
  void *handle = dlopen(library->names[0], RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    /* The error for the usual name is reported. */
    const char *why = dlerror();
    snprintf(library->problem, sizeof library->problem, "%s", why ? why : library->names[0]);
    for (int other = 1; !handle && other < 3 && library->names[other]; other++)
      handle = dlopen(library->names[other], RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return;
    library->problem[0] = 0;
  }
  for (const struct late_function *function = library->functions; function->name; function++) {
    *function->address = dlsym(handle, function->name);
    if (*function->address) continue;
    snprintf(library->problem, sizeof library->problem, "%s lacks %s", library->names[0], function->name);
    return;
  }
}

const char *late_load(struct late_library *library) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!library->has_tried) load(library);
  library->has_tried = 1;
  pthread_mutex_unlock(&lock);
  return library->problem[0] ? library->problem : NULL;
}
