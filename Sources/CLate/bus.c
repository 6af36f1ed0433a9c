/* Loads sd-bus when it is first needed, shows popups by the notification daemon of a session
   (https://specifications.freedesktop.org/notification-spec/latest/), and asks services on the system bus. */

#include "CLate.h"
#include "late.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As declared by systemd/sd-bus.h since systemd 240. */
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct { const char *name, *message; int needs_free; } sd_bus_error;
typedef int (*handler)(sd_bus_message *, void *, sd_bus_error *);

/* All functions used. The table is made from this list. */
#define FUNCTIONS(X)                                                                                            \
  X(sd_bus_add_match, int, (sd_bus *, void **, const char *, handler, void *))                                  \
  X(sd_bus_call_async, int, (sd_bus *, void **, sd_bus_message *, handler, void *, uint64_t))                   \
  X(sd_bus_close, void, (sd_bus *))                                                                             \
  X(sd_bus_get_fd, int, (sd_bus *))                                                                             \
  X(sd_bus_message_enter_container, int, (sd_bus_message *, char, const char *))                                \
  X(sd_bus_message_exit_container, int, (sd_bus_message *))                                                     \
  X(sd_bus_message_get_sender, const char *, (sd_bus_message *))                                                \
  X(sd_bus_message_is_method_error, int, (sd_bus_message *, const char *))                                      \
  X(sd_bus_message_peek_type, int, (sd_bus_message *, char *, const char **))                                   \
  X(sd_bus_message_read_basic, int, (sd_bus_message *, char, void *))                                           \
  X(sd_bus_message_set_auto_start, int, (sd_bus_message *, int))                                                \
  X(sd_bus_message_unref, sd_bus_message *, (sd_bus_message *))                                                 \
  X(sd_bus_open_system, int, (sd_bus **))                                                                       \
  X(sd_bus_unref, sd_bus *, (sd_bus *))                                                                         \
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

/* The popup of this process, the session bus by which it is shown, and the daemon that shows it. */
static struct {
  sd_bus *bus;
  uint32_t number;
  enum { gone, waiting, clicked } state;
  /* The daemon's unique name on the bus, which is never another's. */
  char daemon[256];
  bool reads_markup, has_actions;
  /* The number and the daemon. */
  char identity[280];
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

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec / 1000;
}

/* Whether a message came that nothing waits for. */
static bool has_news;

static int process(sd_bus *bus) {
  sd_bus_message *message = NULL;
  int code = lib.sd_bus_process(bus, &message);
  if (message) has_news = true, lib.sd_bus_message_unref(message);
  return code;
}

/* Handles at most one message, or waits for one; fails at a moment. A bus that sends on and on, or nothing, is none. */
static int step(sd_bus *bus, uint64_t end) {
  uint64_t time = now();
  if (time >= end) return -ETIMEDOUT;
  int code = process(bus);
  if (code == 0) code = lib.sd_bus_wait(bus, end - time);
  return code == -EINTR ? 0 : code;
}

static int make_ready(sd_bus *bus, uint64_t end) {
  int code = 0;
  while (code >= 0 && lib.sd_bus_is_ready(bus) <= 0) code = step(bus, end);
  return code;
}

static const char *connect_to_bus(void) {
  const char *missing = late_load(&library);
  if (missing) return result(-1, "popups need libsystemd", missing);
  int code = lib.sd_bus_open_user(&popup.bus);
  if (code >= 0) code = make_ready(popup.bus, now() + patience);
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

/* Asks the daemon what it can do, which starts one if necessary and tells its name. */
static int meet_daemon(sd_bus_error *error) {
  sd_bus_message *reply = NULL;
  const char *word, *name = NULL;
  int code = lib.sd_bus_set_method_call_timeout(popup.bus, patience_with_daemon);
  if (code >= 0) code = lib.sd_bus_call_method(popup.bus, NOTIFICATIONS, "GetCapabilities", error, &reply, NULL);
  if (code >= 0) code = lib.sd_bus_message_enter_container(reply, 'a', "s");
  while (code >= 0 && (code = lib.sd_bus_message_read_basic(reply, 's', &word)) > 0) {
    if (strcmp(word, "body-markup") == 0) popup.reads_markup = true;
    if (strcmp(word, "actions") == 0) popup.has_actions = true;
  }
  if (code >= 0) name = lib.sd_bus_message_get_sender(reply);
  snprintf(popup.daemon, sizeof popup.daemon, "%s", name ? name : "");
  return code;
}

/* The number of an earlier popup; 0 if another daemon has shown it, where the number may be another program's by now. */
static uint32_t number_of(const char *identity) {
  char *end;
  unsigned long number = strtoul(identity, &end, 10);
  return *end == ' ' && strcmp(end + 1, popup.daemon) == 0 ? (uint32_t)number : 0;
}

const char *bgfetch_popup_show(const char *title, const char *text, const char *markup, const char *sound,
                               unsigned urgency, const char *replaced, bool opens, const char **identity) {
  sd_bus_message *call = NULL, *reply = NULL;
  sd_bus_error error = {0};
  const char *problem = connect_to_bus();
  if (problem) return problem;
  int code = meet_daemon(&error);
  uint32_t replaces = number_of(replaced);
  /* A daemon without actions may show a window instead of a popup. */
  opens = opens && popup.has_actions;
  if (code >= 0 && opens) code = watch("type='signal',sender='" DAEMON "',member='ActionInvoked'", on_popup);
  if (code >= 0 && opens) code = watch("type='signal',sender='" DAEMON "',member='NotificationClosed'", on_popup);
  if (code >= 0 && opens && replaces) code = take(replaces);
  if (code >= 0) code = lib.sd_bus_message_new_method_call(popup.bus, &call, NOTIFICATIONS, "Notify");
  if (code >= 0)
    code = lib.sd_bus_message_append(call, "susss", "bgfetch", replaces, "", title, popup.reads_markup ? markup : text);
  if (code >= 0) code = lib.sd_bus_message_append(call, "as", opens ? 2 : 0, "default", "Open");
  if (code >= 0)
    code = sound[0] ? lib.sd_bus_message_append(call, "a{sv}i", 2, "urgency", "y", urgency, "sound-name", "s", sound, -1)
                    : lib.sd_bus_message_append(call, "a{sv}i", 1, "urgency", "y", urgency, -1);
  if (code >= 0) code = lib.sd_bus_call(popup.bus, call, patience_with_daemon, &error, &reply);
  if (code >= 0) code = lib.sd_bus_message_read(reply, "u", &popup.number);
  if (code >= 0 && opens) popup.state = waiting, code = take(popup.number);
  /* The daemon ends. Not before, because the call may have started it. */
  if (code >= 0 && opens)
    code = watch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" DAEMON "'", on_end);
  snprintf(popup.identity, sizeof popup.identity, "%u %s", popup.number, popup.daemon);
  *identity = popup.identity;
  return result(code, "the notification daemon does not answer", error.message);
}

bool bgfetch_popup_wait_for_click(unsigned seconds) {
  uint64_t end = now() + (uint64_t)seconds * second;
  while (popup.state == waiting && step(popup.bus, end) >= 0) {}
  return popup.state == clicked;
}

/* The connection to the system bus, and the text of the last reply to a call. */
static struct {
  sd_bus *bus;
  /* Negative for an error, positive for a reply. */
  int answer;
  char *text;
  size_t count, room;
  /* Whether the caller waits for signals over this connection. */
  bool is_watched;
} ask;

/* Adds a value; false if there is no room for it. */
static bool add_text(char separator, const char *text) {
  size_t count = strlen(text);
  if (ask.room - ask.count < count + 1) return false;
  ask.text[ask.count++] = separator;
  for (size_t index = 0; index < count; index++)
    ask.text[ask.count++] = (unsigned char)text[index] < ' ' ? '?' : text[index];
  return true;
}

enum { record = '\x1e', value = '\x1f' };

static int add_basic(sd_bus_message *message, char type) {
  union { uint8_t y; uint16_t q; uint32_t u; uint64_t t; const char *s; } basic = {.t = 0};
  char number[24];
  int code = lib.sd_bus_message_read_basic(message, type, &basic);
  if (code <= 0) return code;
  if (strchr("sog", type)) return add_text(value, basic.s) ? code : -ENOBUFS;
  uint64_t whole = type == 'y' ? basic.y : strchr("nq", type) ? basic.q : strchr("xt", type) ? basic.t : basic.u;
  snprintf(number, sizeof number, "%llu", (unsigned long long)whole);
  return add_text(value, number) ? code : -ENOBUFS;
}

/* Adds the rest of a container, as CLate.h says; fails if there is no room for all of it. */
static int add_all(sd_bus_message *message) {
  char type;
  const char *contents;
  int code;
  while ((code = lib.sd_bus_message_peek_type(message, &type, &contents)) > 0) {
    if (strchr("aver", type)) {
      if (strchr("er", type) && !add_text(record, "")) return -ENOBUFS;
      code = lib.sd_bus_message_enter_container(message, type, contents);
      if (code > 0) code = add_all(message);
      if (code >= 0) code = lib.sd_bus_message_exit_container(message);
    } else {
      code = add_basic(message, type);
    }
    if (code < 0) return code;
  }
  return code;
}

static int on_answer(sd_bus_message *message, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  ask.answer = lib.sd_bus_message_is_method_error(message, NULL) > 0 || add_all(message) < 0 ? -1 : 1;
  return 1;
}

void bgfetch_bus_close(void) {
  ask.is_watched = false;
  if (!ask.bus) return;
  lib.sd_bus_close(ask.bus);
  ask.bus = lib.sd_bus_unref(ask.bus);
}

int bgfetch_bus_ask(const char *service, const char *path, const char *interface, const char *method,
                    const char *argument, uint64_t patience, char *text, size_t room) {
  uint64_t end = now() + patience;
  sd_bus_message *call = NULL;
  if (late_load(&library)) return BGFETCH_BUS_GONE;
  ask.answer = 0, ask.text = text, ask.count = 0, ask.room = room;
  int code = ask.bus ? 0 : lib.sd_bus_open_system(&ask.bus);
  if (code >= 0) code = make_ready(ask.bus, end);
  if (code >= 0) code = lib.sd_bus_message_new_method_call(ask.bus, &call, service, path, interface, method);
  if (code >= 0) code = lib.sd_bus_message_set_auto_start(call, 0);
  if (code >= 0 && argument[0]) code = lib.sd_bus_message_append(call, "s", argument);
  if (code >= 0) code = lib.sd_bus_call_async(ask.bus, NULL, call, on_answer, NULL, patience + second);
  while (code >= 0 && ask.answer == 0) code = step(ask.bus, end);
  if (call) lib.sd_bus_message_unref(call);
  if (code >= 0) return ask.answer > 0 ? (int)ask.count : BGFETCH_BUS_REFUSED;
  bgfetch_bus_close();
  return BGFETCH_BUS_GONE;
}

int bgfetch_bus_descriptor(void) {
  ask.is_watched = ask.bus;
  return ask.bus ? fcntl(lib.sd_bus_get_fd(ask.bus), F_DUPFD_CLOEXEC, 3) : -1;
}

bool bgfetch_bus_is_watched(void) { return ask.is_watched; }

int bgfetch_bus_news(void) {
  int code = 1;
  for (int count = 0; ask.bus && code > 0 && count < 1000; count++) code = process(ask.bus);
  int news = has_news;
  has_news = false;
  if (ask.bus && code >= 0) return news;
  bgfetch_bus_close();
  return BGFETCH_BUS_GONE;
}
