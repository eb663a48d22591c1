#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/ts.h>
#include <openssl/x509_vfy.h>

#include "../CLinux/wipe.h"

// SHA-256 of a byte and what follows it, as a tree's hashes are made. Swift can't be told that the
// functions which keep their state here may be used although 3.0 calls them deprecated. EVP's cost
// a sixth more for an event and a third more for a node, and hash the same.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int daybook_sha256(
    unsigned char first, const void *second, size_t second_length,
    const void *third, size_t third_length, unsigned char *digest) {
    SHA256_CTX state;
    return SHA256_Init(&state) && SHA256_Update(&state, &first, 1)
        && SHA256_Update(&state, second, second_length)
        && SHA256_Update(&state, third, third_length) && SHA256_Final(digest, &state);
}

// The same of some bytes alone.
static inline int daybook_sha256_once(
    const void *bytes, size_t length, unsigned char *digest) {
    SHA256_CTX state;
    return SHA256_Init(&state) && SHA256_Update(&state, bytes, length)
        && SHA256_Final(digest, &state);
}
#pragma GCC diagnostic pop

// The 32 bytes of an Ed25519 key in PEM. PEM_read_bio_* ask the terminal for the passphrase of an
// encrypted key unless they are given a function. Such a key is no key here.
static inline int daybook_no_passphrase(char *buffer, int size, int writes, void *data) {
    return -1;
}

static inline int daybook_pem_ed25519(
    const void *pem, size_t length, int is_private, unsigned char *bytes) {
    BIO *bio = BIO_new_mem_buf(pem, (int)length);
    EVP_PKEY *key = NULL;
    if (bio)
        key = is_private ? PEM_read_bio_PrivateKey(bio, NULL, daybook_no_passphrase, NULL)
                         : PEM_read_bio_PUBKEY(bio, NULL, daybook_no_passphrase, NULL);
    size_t count = 32;
    int done = key && EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519
        && (is_private ? EVP_PKEY_get_raw_private_key(key, bytes, &count)
                       : EVP_PKEY_get_raw_public_key(key, bytes, &count)) == 1
        && count == 32;
    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return done;
}
// Whether an error says that no further block begins in a text of PEM (ERR_GET_REASON is a macro).
static inline int daybook_is_end_of_pem(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// The form of a certificate's name: RFC 4514, and letters beyond ASCII stay what they are. Swift
// does not read the macros' casts.
static const unsigned long daybook_name_form = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
