/* Loads libcurl.so.4 when it is first needed, and forwards calls to it. */

#define _GNU_SOURCE
#include "CLate.h"
#include "late.h"

#include <arpa/inet.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

static struct bgfetch_curl_functions lib;

static const struct late_function functions[] = {BGFETCH_CURL(LATE_ROW) {0}};

static struct late_library library = {{"libcurl.so.4"}, functions, 0, ""};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode code;

static void initialise(void) { code = lib.curl_global_init(CURL_GLOBAL_ALL); }

const char *bgfetch_curl_load(void) {
  const char *problem = late_load(&library);
  if (problem) return problem;
  pthread_once(&once, initialise);
  return code == CURLE_OK ? NULL : lib.curl_easy_strerror(code);
}

static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static locale_t utf8;

static void make_locale(void) { utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

void bgfetch_curl_use_utf8(void) {
  pthread_once(&locale_once, make_locale);
  if (utf8) uselocale(utf8);
}

const struct bgfetch_curl_functions *bgfetch_curl(void) { return &lib; }

const char *bgfetch_curl_version(void) { return lib.curl_version_info(CURLVERSION_NOW)->version; }

/* Many transfers at once. */

CURLMcode bgfetch_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return lib.curl_multi_setopt(multi, option, value);
}

CURLMcode bgfetch_curl_multi_perform(CURLM *multi) {
  int running = 0;
  return lib.curl_multi_perform(multi, &running);
}

CURLMcode bgfetch_curl_multi_poll(CURLM *multi, int milliseconds) {
  return lib.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}

bool bgfetch_curl_multi_next_finished(CURLM *multi, CURL **easy, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = lib.curl_multi_info_read(multi, &left))) {
    if (message->msg == CURLMSG_DONE) {
      *easy = message->easy_handle;
      *result = message->data.result;
      return true;
    }
  }
  return false;
}

/* One transfer. */

CURLcode bgfetch_curl_easy_unpause(CURL *easy) { return lib.curl_easy_pause(easy, CURLPAUSE_CONT); }

const char *bgfetch_curl_error_text(CURLcode code) { return lib.curl_easy_strerror(code); }

const char *bgfetch_curl_multi_error_text(CURLMcode code) { return lib.curl_multi_strerror(code); }

CURLcode bgfetch_curl_set_long(CURL *easy, CURLoption option, long value) {
  return (lib.curl_easy_setopt)(easy, option, value);
}

CURLcode bgfetch_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return (lib.curl_easy_setopt)(easy, option, value);
}

CURLcode bgfetch_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return (lib.curl_easy_setopt)(easy, option, value);
}

CURLcode bgfetch_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (lib.curl_easy_setopt)(easy, option, value);
}

static CURLcode set_callback(CURL *easy, CURLoption function, void (*callback)(void), CURLoption data,
                             void *context) {
  CURLcode code = (lib.curl_easy_setopt)(easy, function, callback);
  return code != CURLE_OK ? code : (lib.curl_easy_setopt)(easy, data, context);
}

CURLcode bgfetch_curl_on_body(CURL *easy, curl_write_callback callback, void *context) {
  return set_callback(easy, CURLOPT_WRITEFUNCTION, (void (*)(void))callback, CURLOPT_WRITEDATA, context);
}

CURLcode bgfetch_curl_on_header(CURL *easy, curl_write_callback callback, void *context) {
  return set_callback(easy, CURLOPT_HEADERFUNCTION, (void (*)(void))callback, CURLOPT_HEADERDATA, context);
}

CURLcode bgfetch_curl_on_socket(CURL *easy, curl_opensocket_callback callback, void *context) {
  return set_callback(easy, CURLOPT_OPENSOCKETFUNCTION, (void (*)(void))callback, CURLOPT_OPENSOCKETDATA, context);
}

CURLcode bgfetch_curl_on_close(CURL *easy, curl_closesocket_callback callback, void *context) {
  return set_callback(easy, CURLOPT_CLOSESOCKETFUNCTION, (void (*)(void))callback, CURLOPT_CLOSESOCKETDATA, context);
}

CURLcode bgfetch_curl_on_connected(CURL *easy, curl_prereq_callback callback, void *context) {
  return set_callback(easy, CURLOPT_PREREQFUNCTION, (void (*)(void))callback, CURLOPT_PREREQDATA, context);
}

CURLcode bgfetch_curl_upload(CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context,
                             curl_off_t size) {
  CURLcode code = set_callback(easy, CURLOPT_READFUNCTION, (void (*)(void))read, CURLOPT_READDATA, context);
  if (code == CURLE_OK)
    code = set_callback(easy, CURLOPT_SEEKFUNCTION, (void (*)(void))seek, CURLOPT_SEEKDATA, context);
  if (code == CURLE_OK) code = (lib.curl_easy_setopt)(easy, CURLOPT_INFILESIZE_LARGE, size);
  return code != CURLE_OK ? code : (lib.curl_easy_setopt)(easy, CURLOPT_UPLOAD, 1L);
}

long bgfetch_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return (lib.curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t bgfetch_curl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return (lib.curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *bgfetch_curl_get_text(CURL *easy, CURLINFO info) {
  char *value = NULL;
  return (lib.curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : NULL;
}

void *bgfetch_curl_get_pointer(CURL *easy, CURLINFO info) {
  void *value = NULL;
  return (lib.curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : NULL;
}

struct curl_slist *bgfetch_curl_cookies(CURL *easy) {
  struct curl_slist *lines = NULL;
  return (lib.curl_easy_getinfo)(easy, CURLINFO_COOKIELIST, &lines) == CURLE_OK ? lines : NULL;
}

/* Addresses. */

/* Since libcurl 7.88.0; older headers do not name it, older libraries ignore it. */
#ifndef CURLU_PUNYCODE
#define CURLU_PUNYCODE (1 << 12)
#endif

bool bgfetch_curl_host_of(const char *address, char *host, size_t capacity) {
  bool found = false;
  char *text = NULL;
  CURLU *url = lib.curl_url();
  if (url && lib.curl_url_set(url, CURLUPART_URL, address, CURLU_PATH_AS_IS) == CURLUE_OK &&
      lib.curl_url_get(url, CURLUPART_HOST, &text, CURLU_PUNYCODE) == CURLUE_OK && strlen(text) < capacity) {
    strcpy(host, text);
    found = true;
  }
  lib.curl_free(text);
  lib.curl_url_cleanup(url);
  return found;
}

int bgfetch_curl_local_port(curl_socket_t socket) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return -1;
  switch (address.ss_family) {
    case AF_INET: return ntohs(((const struct sockaddr_in *)&address)->sin_port);
    case AF_INET6: return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
    default: return -1;
  }
}

bool bgfetch_curl_address_text(const struct curl_sockaddr *address, char *text, size_t capacity) {
  const void *bytes;
  switch (address->family) {
    case AF_INET: bytes = &((const struct sockaddr_in *)&address->addr)->sin_addr; break;
    case AF_INET6: bytes = &((const struct sockaddr_in6 *)&address->addr)->sin6_addr; break;
    default: return false;
  }
  return inet_ntop(address->family, bytes, text, (socklen_t)capacity) != NULL;
}
