/* Loads sd-bus when it is first needed, and shows popups by the notification daemon of a session
   (https://specifications.freedesktop.org/notification-spec/latest/). */

#include "CLate.h"
#include "late.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As declared by systemd/sd-bus.h since systemd 240. */
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct { const char *name, *message; int needs_free; } sd_bus_error;
typedef int (*handler)(sd_bus_message *, void *, sd_bus_error *);

/* All functions used. The table is made from this list. */
#define FUNCTIONS(X)                                                                                            \
  X(sd_bus_add_match, int, (sd_bus *, void **, const char *, handler, void *))                                  \
  X(sd_bus_call, int, (sd_bus *, sd_bus_message *, uint64_t, sd_bus_error *, sd_bus_message **))                \
  X(sd_bus_call_method, int, (sd_bus *, TEXTS4, sd_bus_error *, sd_bus_message **, const char *, ...))          \
  X(sd_bus_is_ready, int, (sd_bus *))                                                                           \
  X(sd_bus_message_append, int, (sd_bus_message *, const char *, ...))                                          \
  X(sd_bus_message_is_signal, int, (sd_bus_message *, const char *, const char *))                              \
  X(sd_bus_message_new_method_call, int, (sd_bus *, sd_bus_message **, TEXTS4))                                 \
  X(sd_bus_message_read, int, (sd_bus_message *, const char *, ...))                                            \
  X(sd_bus_open_user, int, (sd_bus **))                                                                         \
  X(sd_bus_process, int, (sd_bus *, sd_bus_message **))                                                         \
  X(sd_bus_request_name, int, (sd_bus *, const char *, uint64_t))                                               \
  X(sd_bus_set_method_call_timeout, int, (sd_bus *, uint64_t))                                                  \
  X(sd_bus_wait, int, (sd_bus *, uint64_t))
/* A destination, its object, the interface and the method. */
#define TEXTS4 const char *, const char *, const char *, const char *

static struct { FUNCTIONS(LATE_MEMBER) } lib;

static const struct late_function functions[] = {FUNCTIONS(LATE_ROW) {0}};

/* elogind and basu have the same functions for systems without systemd. */
static struct late_library library = {{"libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"}, functions, 0, ""};

/* The popup of this process, and the session bus by which it is shown. */
static struct {
  sd_bus *bus;
  uint32_t number;
  enum { shown, clicked, gone } state;
  char problem[300];
} popup;

/* In microseconds. A bus answers at once, but a daemon may first have to start. */
enum { second = 1000000, patience = second, patience_with_daemon = 10 * second };

#define DAEMON "org.freedesktop.Notifications"
/* The object and the interface of the daemon. */
#define NOTIFICATIONS DAEMON, "/org/freedesktop/Notifications", DAEMON

/* Fails unless code is 0 or more; `why` may be NULL. */
static const char *result(int code, const char *what, const char *why) {
  if (code >= 0) return NULL;
  snprintf(popup.problem, sizeof popup.problem, "%s: %s", what, why ? why : strerror(-code));
  return popup.problem;
}

static const char *connect_to_bus(void) {
  const char *missing = late_load(&library);
  if (missing) return result(-1, "popups need libsystemd", missing);
  int code = lib.sd_bus_open_user(&popup.bus);
  /* A few messages; one that sends more, or nothing, is no bus. */
  for (int steps = 0; code >= 0 && lib.sd_bus_is_ready(popup.bus) <= 0; steps++) {
    code = lib.sd_bus_process(popup.bus, NULL);
    if (code == 0 && (steps > 30 || lib.sd_bus_wait(popup.bus, patience) <= 0)) code = -ETIMEDOUT;
  }
  if (code >= 0) code = lib.sd_bus_set_method_call_timeout(popup.bus, patience);
  return result(code, "the session bus does not answer", NULL);
}

bool bgfetch_popup_is_possible(void) {
  return !connect_to_bus()
         && lib.sd_bus_call_method(popup.bus, NOTIFICATIONS, "GetServerInformation", NULL, NULL, NULL) >= 0;
}

static int on_end(sd_bus_message *message, void *context, sd_bus_error *error) {
  (void)message, (void)context, (void)error;
  popup.state = gone;
  return 0;
}

/* For the signals that the user has clicked a popup or that it was closed. */
static int on_popup(sd_bus_message *message, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  uint32_t number = 0;
  if (lib.sd_bus_message_read(message, "u", &number) >= 0 && number == popup.number)
    popup.state = lib.sd_bus_message_is_signal(message, NULL, "ActionInvoked") ? clicked : gone;
  return 0;
}

static int watch(const char *rule, handler handler) {
  return lib.sd_bus_add_match(popup.bus, NULL, rule, handler, NULL);
}

/* Takes over a popup from the process that has waited for it so far: it held this name. */
static int take(uint32_t number) {
  enum { replace_existing = 1, allow_replacement = 2 };
  char name[40], rule[120];
  snprintf(name, sizeof name, "bgfetch.popup.n%u", number);
  snprintf(rule, sizeof rule, "type='signal',sender='org.freedesktop.DBus',member='NameLost',arg0='%s'", name);
  int code = lib.sd_bus_request_name(popup.bus, name, replace_existing | allow_replacement);
  return code < 0 && code != -EALREADY ? code : watch(rule, on_end);
}

const char *bgfetch_popup_show(const char *title, const char *body, const char *sound, unsigned urgency,
                               uint32_t replaces, bool opens, uint32_t *number) {
  sd_bus_message *call = NULL, *reply = NULL;
  sd_bus_error error = {0};
  const char *problem = connect_to_bus();
  if (problem) return problem;
  int code = opens ? watch("type='signal',sender='" DAEMON "',member='ActionInvoked'", on_popup) : 0;
  if (code >= 0 && opens) code = watch("type='signal',sender='" DAEMON "',member='NotificationClosed'", on_popup);
  if (code >= 0 && opens && replaces) code = take(replaces);
  if (code >= 0) code = lib.sd_bus_message_new_method_call(popup.bus, &call, NOTIFICATIONS, "Notify");
  if (code >= 0) code = lib.sd_bus_message_append(call, "susss", "bgfetch", replaces, "", title, body);
  if (code >= 0) code = lib.sd_bus_message_append(call, "as", opens ? 2 : 0, "default", "Open");
  if (code >= 0)
    code = sound[0] ? lib.sd_bus_message_append(call, "a{sv}i", 2, "urgency", "y", urgency, "sound-name", "s", sound, -1)
                    : lib.sd_bus_message_append(call, "a{sv}i", 1, "urgency", "y", urgency, -1);
  if (code >= 0) code = lib.sd_bus_call(popup.bus, call, patience_with_daemon, &error, &reply);
  if (code >= 0) code = lib.sd_bus_message_read(reply, "u", &popup.number);
  if (code >= 0 && opens) code = take(popup.number);
  /* The daemon ends. Not before, because the call may have started it. */
  if (code >= 0 && opens)
    code = watch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" DAEMON "'", on_end);
  *number = popup.number;
  return result(code, "the notification daemon does not answer", error.message);
}

bool bgfetch_popup_wait_for_click(unsigned seconds) {
  /* Then the process ends. */
  alarm(seconds);
  while (popup.state == shown) {
    int code = lib.sd_bus_process(popup.bus, NULL);
    if (code < 0 || (code == 0 && lib.sd_bus_wait(popup.bus, UINT64_MAX) < 0)) return false;
  }
  return popup.state == clicked;
}
