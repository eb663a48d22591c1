/* Hashing, verifying, signing, coding and splitting, by the libraries alone. */
#include "baselines.h"

#include <cbor.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

void crypto_sha256(char **words)
{
    struct records events = read_records(words[0]);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t hash[32];
    const uint8_t zero = 0;
    uint64_t started = processor_nanoseconds();
    for (size_t index = 0; index < events.count; index++) {
        EVP_DigestInit_ex(context, EVP_sha256(), NULL);
        EVP_DigestUpdate(context, &zero, 1);
        EVP_DigestUpdate(context, events.items[index].bytes, events.items[index].length);
        EVP_DigestFinal_ex(context, hash, NULL);
    }
    report(events.count, processor_nanoseconds() - started);
}

static void verify(const secp256k1_context *context, const uint8_t public_key[33],
                   const uint8_t digest[32], const uint8_t compact[64])
{
    secp256k1_pubkey key;
    secp256k1_ecdsa_signature signature;
    if (!secp256k1_ec_pubkey_parse(context, &key, public_key, 33)
        || !secp256k1_ecdsa_signature_parse_compact(context, &signature, compact)
        || !secp256k1_ecdsa_verify(context, &signature, digest, &key))
        fail("a signature does not verify");
}

void crypto_ecdsa(char **words)
{
    struct records signatures = read_records(words[0]);
    secp256k1_context *context = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    uint64_t started = processor_nanoseconds();
    for (size_t index = 0; index < signatures.count; index++) {
        const uint8_t *bytes = signatures.items[index].bytes;
        verify(context, bytes, bytes + 33, bytes + 65);
    }
    report(signatures.count, processor_nanoseconds() - started);
}

static void public_key_of(const struct signer *signer, uint8_t bytes[33])
{
    secp256k1_pubkey key;
    size_t length = 33;
    if (!secp256k1_ec_pubkey_create(signer->context, &key, signer->secret)) fail("a private key");
    secp256k1_ec_pubkey_serialize(signer->context, bytes, &length, &key,
                                  SECP256K1_EC_COMPRESSED);
}

struct signer new_signer(uint8_t seed)
{
    struct signer signer = {.context = secp256k1_context_create(SECP256K1_CONTEXT_NONE)};
    memset(signer.secret, seed, sizeof signer.secret);
    public_key_of(&signer, signer.public_key);
    return signer;
}

void sign_digest(const struct signer *signer, const uint8_t digest[32], uint8_t compact[64])
{
    uint8_t key[33];
    secp256k1_ecdsa_signature signature;
    public_key_of(signer, key);
    if (memcmp(key, signer->public_key, sizeof key) != 0) fail("it is the key of another wallet");
    if (!secp256k1_ecdsa_sign(signer->context, &signature, digest, signer->secret, NULL, NULL))
        fail("signing");
    secp256k1_ecdsa_signature_serialize_compact(signer->context, compact, &signature);
}

void verify_signature(const struct signer *signer, const uint8_t digest[32],
                      const uint8_t compact[64])
{
    verify(signer->context, signer->public_key, digest, compact);
}

static cbor_item_t *load(const uint8_t *bytes, size_t length)
{
    struct cbor_load_result result;
    cbor_item_t *item = cbor_load(bytes, length, &result);
    if (!item) fail("an event is no CBOR");
    return item;
}

size_t decode_one(const uint8_t *bytes, size_t length)
{
    cbor_item_t *item = load(bytes, length);
    cbor_decref(&item);
    return 1;
}

void cbor_decode(char **words)
{
    struct records events = read_records(words[0]);
    uint64_t started = processor_nanoseconds();
    for (size_t index = 0; index < events.count; index++)
        decode_one(events.items[index].bytes, events.items[index].length);
    report(events.count, processor_nanoseconds() - started);
}

void cbor_encode(char **words)
{
    struct records events = read_records(words[0]);
    cbor_item_t **items = malloc(events.count * sizeof *items);
    if (!items) fail("memory");
    for (size_t index = 0; index < events.count; index++)
        items[index] = load(events.items[index].bytes, events.items[index].length);
    uint64_t started = processor_nanoseconds();
    for (size_t index = 0; index < events.count; index++) {
        unsigned char *bytes;
        size_t size;
        if (!cbor_serialize_alloc(items[index], &bytes, &size)) fail("encoding");
        free(bytes);
    }
    report(events.count, processor_nanoseconds() - started);
}

/* One copy of each line; then one pass over the copy ends a piece at each separator. */
void text_split(char **words)
{
    struct records lines = read_records(words[0]);
    uint64_t started = processor_nanoseconds();
    size_t pieces = 0;
    for (size_t index = 0; index < lines.count; index++) {
        size_t length = lines.items[index].length;
        char *copy = malloc(length + 1);
        if (!copy) fail("memory");
        memcpy(copy, lines.items[index].bytes, length);
        copy[length] = 0;
        for (char *rest = copy; rest; pieces++) {
            char *end = strpbrk(rest, "?&=:/");
            if (end) *end++ = 0;
            rest = end;
        }
        free(copy);
    }
    if (pieces < lines.count) fail("nothing was split");
    report(lines.count, processor_nanoseconds() - started);
}
