#ifndef DAYBOOK_CCURL_SHIM_H
#define DAYBOOK_CCURL_SHIM_H

#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take arguments of any type, which Swift can't call.

static inline CURLcode daybook_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode daybook_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

#endif
