/* Scorers in C, C++ and every language that can make a shared library with C functions.
 *
 * The flow: the host reads the metadata from the ELF section ".autoscorer" without running anything; a worker process
 * opens the library, calls autoscorer_plugin_v1() for the table of functions, and lets every scorer describe itself,
 * which has to be what the metadata says. From then on it calls validate and score, one call at a time, in that worker.
 *
 * What is allowed
 *   - An entry is called with the host's functions and a request. Texts in a request are UTF-8, end with a NUL, and are
 *     lent until the entry returns. What is given to the host is copied before its function returns, so nobody ever
 *     frees memory of the other side.
 *   - The host's functions may be called from any thread while the entry they were lent to runs. After it has returned,
 *     or with a call number that is not its own, they do nothing and return AUTOSCORER_ERROR (cancelled: 1). The table
 *     itself stays where it is.
 *   - No C++ exception and no longjmp may leave an entry: it ends the worker and costs the job.
 *   - Write to the workspace's output folder only; start no processes. See docs/security.md.
 *
 * It grows at its ends only: look at struct_size before you use a member that is newer than version 1 of this file.
 */
#ifndef AUTOSCORER_PLUGIN_H
#define AUTOSCORER_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "AUTOSCOR" in memory. */
#define AUTOSCORER_MAGIC UINT64_C(0x524f43534f545541)
/* The version of the structs below. */
#define AUTOSCORER_VERSION 1
/* The version of the API whose JSON texts these are. */
#define AUTOSCORER_API "1.1.0"

/* What entries and the host's functions return. */
#define AUTOSCORER_OK 0
#define AUTOSCORER_ERROR (-1)

/* Levels of the log. */
#define AUTOSCORER_DEBUG 0
#define AUTOSCORER_INFO 1
#define AUTOSCORER_WARN 2
#define AUTOSCORER_FAIL 3

/* One call. */
struct autoscorer_request {
    uint32_t struct_size;
    uint32_t scorer;       /* which one: its place in the metadata, from 0 */
    uint64_t call;         /* the number that the host's functions want */
    const char *workspace; /* the folder, absolute; "" in describe */
    const char *params;    /* a JSON object, checked against the schema, defaults filled in */
    const char *artifacts; /* the folder for artifacts, which may not exist yet; NULL where none are wanted */
    int64_t time_left_ms;  /* how long the call may take; -1 where nobody says. When it is over, cancelled gives 1 */
};

/* What a scorer may ask of the host. Texts end with a NUL and should be UTF-8. */
struct autoscorer_host {
    uint32_t version;
    uint32_t struct_size;

    /* The answer, once in a call, as JSON in UTF-8, at most 4 MiB. describe answers with its object of the metadata;
     * score with {"summary": {"score": 0.5, "primary_metric": "accuracy", "direction": "higher" or "lower",
     * "rank": "A" or null, "pass": true or null}, "metrics": {"accuracy": 0.5},
     * "warnings": [{"code": "C", "message": "m"}], "details": {}}, where the last two may be absent.
     * validate gives none: it names faults. */
    int32_t (*answer)(uint64_t call, const char *json, size_t size);

    /* Names a fault, as often as there are some; a call with a fault gives no score. The code is one of MISSING_FILE,
     * BAD_FORMAT, PARSE_ERROR, TYPE_ERROR, MISMATCH, INVALID_PARAMS, SCORE_ERROR, CANCELLED. The file is relative to the
     * workspace; file and hint may be NULL, and line 0, where there is none. */
    int32_t (*fault)(uint64_t call, const char *code, const char *message, const char *file, uint64_t line,
                     const char *hint);

    /* Writes an artifact such as "plots/roc.svg" and lists it in the result. With data NULL it lists the file of that
     * name, which the scorer has written to request->artifacts itself. Files that are not listed are a fault. Where
     * no artifacts are wanted it does nothing, and gives AUTOSCORER_OK. */
    int32_t (*artifact)(uint64_t call, const char *name, const char *content_type, const void *data, size_t size);

    /* A parameter by its key: text as it is, everything else as JSON. Gives its length without the NUL, or
     * AUTOSCORER_ERROR where there is none; copies as much as fits into the buffer, always with a NUL. */
    int64_t (*param)(uint64_t call, const char *key, char *buffer, size_t size);

    /* Writes a line to the job's log. */
    int32_t (*log)(uint64_t call, int32_t level, const char *text);

    /* Says how far the job is. */
    int32_t (*progress)(uint64_t call, uint64_t done, uint64_t total);

    /* Whether the job should stop: 1 or 0. Ask now and then in long loops, and return AUTOSCORER_ERROR. */
    int32_t (*cancelled)(uint64_t call);
};

/* Returns AUTOSCORER_OK, or anything else where it failed; best with a fault that says why. */
typedef int32_t (*autoscorer_entry)(const struct autoscorer_host *host, const struct autoscorer_request *request);

/* What a library exports. */
struct autoscorer_plugin {
    uint64_t magic;
    uint32_t version;
    uint32_t struct_size;
    autoscorer_entry describe;
    autoscorer_entry validate; /* NULL where nothing can be found without scoring */
    autoscorer_entry score;
};

#if defined(__GNUC__)
#define AUTOSCORER_EXPORT __attribute__((visibility("default")))
#define AUTOSCORER_SECTION __attribute__((section(".autoscorer"), used))
#else
#error "export autoscorer_plugin_v1, and put the metadata into the ELF section .autoscorer, in your compiler's way"
#endif

#if defined(__clang__)
#define AUTOSCORER_COMPILER __VERSION__
#else
#define AUTOSCORER_COMPILER "gcc " __VERSION__
#endif

AUTOSCORER_EXPORT const struct autoscorer_plugin *autoscorer_plugin_v1(void);
extern AUTOSCORER_EXPORT const char autoscorer_metadata_v1[];

#ifdef __cplusplus
}
#endif

/* JSON as it is written, as a C text. */
#define AUTOSCORER_JSON(...) #__VA_ARGS__

/* Puts the metadata into its section; once in a library. The scorers are JSON objects, with commas between them:
 *
 *   #define ACCURACY AUTOSCORER_JSON({"id": "my_accuracy", "version": "1.0.0", "summary": "What it does",
 *                                     "algorithm": "Accuracy", "params": {"type": "object", "properties": {
 *                                       "floor": {"type": "number", "default": 0.5, "description": "The least"}}}})
 *   AUTOSCORER_METADATA("my-package 1.0.0", ACCURACY);
 *   AUTOSCORER_METADATA("my-package 1.0.0", ACCURACY "," ANOTHER);
 *
 * "network": true asks for the network, which scorers do not have otherwise. */
#define AUTOSCORER_METADATA(package, scorers)                                                                          \
    AUTOSCORER_SECTION const char autoscorer_metadata_v1[] =                                                           \
        "{\"format\":1,\"abi\":\"c\",\"api\":\"" AUTOSCORER_API "\",\"compiler\":\"" AUTOSCORER_COMPILER              \
        "\",\"package\":\"" package "\",\"scorers\":[" scorers "]}"

/* Exports the three functions; once in a library. The typedef is there to take the semicolon. */
#define AUTOSCORER_PLUGIN(describe, validate, score)                                                                   \
    const struct autoscorer_plugin *autoscorer_plugin_v1(void) {                                                       \
        static const struct autoscorer_plugin plugin = {                                                               \
            AUTOSCORER_MAGIC, AUTOSCORER_VERSION, (uint32_t)sizeof(struct autoscorer_plugin), describe, validate,      \
            score};                                                                                                    \
        return &plugin;                                                                                                \
    }                                                                                                                  \
    typedef int autoscorer_plugin_is_exported

#endif
