/* libcurl for Swift: types and constants come from <curl/curl.h>, calls go through these functions, which load
   the library when it is first needed.

   Loading libcurl and the thirty libraries behind it costs several times what the rest of the program's start
   does, so a run with nothing to fetch must not pay for it. That is why nothing links against libcurl, and why
   every function but bgfetch_curl_load() may only be called after that one returned NULL.

   curl_easy_setopt() and curl_easy_getinfo() are variadic, which Swift cannot call: here is one function for each
   type of argument instead. */

#ifndef BGFETCH_CCURL_H
#define BGFETCH_CCURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* Loads and initialises libcurl once for the process, from any thread.
   Gives NULL, or says what is missing; the text lives as long as the process. */
const char *bgfetch_curl_load(void);

/* Makes UTF-8 the character set of the calling thread, in which libcurl reads international host names; under cron
   the process has none, and they would be refused. */
void bgfetch_curl_use_utf8(void);

/* The library's version, for example "7.88.1". */
const char *bgfetch_curl_version(void);

/* Many transfers at once. */
CURLM *bgfetch_curl_multi_init(void);
void bgfetch_curl_multi_cleanup(CURLM *multi);
CURLMcode bgfetch_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode bgfetch_curl_multi_add(CURLM *multi, CURL *easy);
CURLMcode bgfetch_curl_multi_remove(CURLM *multi, CURL *easy);
CURLMcode bgfetch_curl_multi_perform(CURLM *multi);
CURLMcode bgfetch_curl_multi_poll(CURLM *multi, int milliseconds);
/* The only function that another thread than the multi's may call. */
CURLMcode bgfetch_curl_multi_wakeup(CURLM *multi);
/* Whether a transfer has ended since the last call; which, and how. */
bool bgfetch_curl_multi_next_finished(CURLM *multi, CURL **easy, CURLcode *result);

/* One transfer. */
CURL *bgfetch_curl_easy_init(void);
void bgfetch_curl_easy_reset(CURL *easy);
void bgfetch_curl_easy_cleanup(CURL *easy);
/* Goes on with a transfer whose body callback gave CURL_WRITEFUNC_PAUSE, which may be called before this returns; an
   error ends the transfer, and nothing else tells of it. */
CURLcode bgfetch_curl_easy_unpause(CURL *easy);
const char *bgfetch_curl_error_text(CURLcode code);
const char *bgfetch_curl_multi_error_text(CURLMcode code);

CURLcode bgfetch_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode bgfetch_curl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode bgfetch_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode bgfetch_curl_set_pointer(CURL *easy, CURLoption option, void *value);
/* Callbacks; each is called with `context` as its last or first argument, as libcurl has it. */
CURLcode bgfetch_curl_on_body(CURL *easy, curl_write_callback callback, void *context);
CURLcode bgfetch_curl_on_header(CURL *easy, curl_write_callback callback, void *context);
CURLcode bgfetch_curl_on_socket(CURL *easy, curl_opensocket_callback callback, void *context);
CURLcode bgfetch_curl_on_close(CURL *easy, curl_closesocket_callback callback, void *context);
CURLcode bgfetch_curl_on_connected(CURL *easy, curl_prereq_callback callback, void *context);

/* Values of a finished transfer; 0 and NULL where there is none. */
long bgfetch_curl_get_long(CURL *easy, CURLINFO info);
curl_off_t bgfetch_curl_get_offset(CURL *easy, CURLINFO info);
const char *bgfetch_curl_get_text(CURL *easy, CURLINFO info);
void *bgfetch_curl_get_pointer(CURL *easy, CURLINFO info);

/* Appends a copy of the text; NULL if memory ran out, and the list is as it was. */
struct curl_slist *bgfetch_curl_list_append(struct curl_slist *list, const char *text);
void bgfetch_curl_list_free(struct curl_slist *list);

/* The host that libcurl would ask for at an address, after it decoded percent signs, international names and odd
   spellings of IPv4 addresses. Gives false if libcurl would refuse the address. */
bool bgfetch_curl_host_of(const char *address, char *host, size_t capacity);

/* Makes the socket that libcurl asks a CURLOPT_OPENSOCKETFUNCTION for, closed in child processes. */
curl_socket_t bgfetch_curl_open_socket(const struct curl_sockaddr *address);
void bgfetch_curl_close_socket(curl_socket_t socket);
/* The port at this end of a connection, as libcurl tells it to a CURLOPT_PREREQFUNCTION; -1 if the socket has none. */
int bgfetch_curl_local_port(curl_socket_t socket);
/* Whether bytes came that nobody has read yet. */
bool bgfetch_curl_has_unread(curl_socket_t socket);
/* Ends the connection of a socket and forgets what came over it; the socket itself stays libcurl's to close, which takes
   it for one that the server has closed. */
void bgfetch_curl_disconnect(curl_socket_t socket);
/* The IPv6 addresses of ipv4only.arpa, by which a network shows how it translates to IPv4 (RFC 7050); false where there is
   none at this index. The first call looks them up, and waits a second at most; what comes later counts from then on. */
bool bgfetch_curl_translated(int index, char *text, size_t capacity);
/* The numeric address in it; false if it is neither IPv4 nor IPv6. */
bool bgfetch_curl_address_text(const struct curl_sockaddr *address, char *text, size_t capacity);

#endif
