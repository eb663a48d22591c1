#ifndef DAYBOOK_CCURL_SHIM_H
#define DAYBOOK_CCURL_SHIM_H

#include <curl/curl.h>

#include "../CLinux/wipe.h"

// curl_easy_setopt and curl_easy_getinfo take arguments of any type, which Swift can't call.

static inline CURLcode daybook_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode daybook_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode daybook_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode daybook_curl_set_pointer(
    CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

// For the options that take bytes: headers and body of an answer.
static inline CURLcode daybook_curl_set_taker(
    CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode daybook_curl_set_progress(CURL *handle, curl_xferinfo_callback value) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode daybook_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode daybook_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode daybook_curl_get_text(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

// Macros whose casts Swift does not read.
static const long daybook_curl_auth_basic = CURLAUTH_BASIC;
static const long daybook_curl_global_default = CURL_GLOBAL_DEFAULT;

#endif
