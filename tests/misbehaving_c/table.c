/* Libraries that are refused, one for each -DSIN_…; without any it is a good one, which is slow to open with -DSLOW. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "autoscorer_plugin.h"

#define GOOD AUTOSCORER_JSON({"id": "c_good", "version": "1.0.0", "summary": "Good", "algorithm": "None", "params": {}})
#define BAD_DEFAULT \
    AUTOSCORER_JSON({"id": "c_good", "version": "1.0.0", "summary": "Good", "algorithm": "None", "params": \
                     {"properties": {"half": {"type": "number", "default": "0.5"}}}})
#define OTHER_NAME \
    AUTOSCORER_JSON({"id": "c_other", "version": "1.0.0", "summary": "Good", "algorithm": "None", "params": {}})
#define OTHER_PARAMS \
    AUTOSCORER_JSON({"id": "c_good", "version": "1.0.0", "summary": "Fine", "algorithm": "None", "params": {"x": 1}})

#if defined(SIN_NO_METADATA)
#elif defined(SIN_METADATA_NOT_JSON)
AUTOSCORER_METADATA("table 1.0.0", "{'id': 'c_good'}");
#elif defined(SIN_METADATA_INCOMPLETE)
AUTOSCORER_METADATA("table 1.0.0", "{\"id\": \"c_good\"}");
#elif defined(SIN_OTHER_API)
#undef AUTOSCORER_API
#define AUTOSCORER_API "99.0.0"
AUTOSCORER_METADATA("table 1.0.0", GOOD);
#elif defined(SIN_BAD_DEFAULT)
AUTOSCORER_METADATA("table 1.0.0", BAD_DEFAULT);
#else
AUTOSCORER_METADATA("table 1.0.0", GOOD);
#endif

int32_t describe(const struct autoscorer_host *host, const struct autoscorer_request *request) {
    uint64_t call = request->call;
#if defined(SIN_DESCRIBE_FAILS)
    host->fault(call, "SCORE_ERROR", "no words", NULL, 0, NULL);
    return AUTOSCORER_ERROR;
#elif defined(SIN_DESCRIBE_RETURNS_7)
    (void)host;
    return (int32_t)call * 0 + 7;
#elif defined(SIN_DESCRIBE_SILENT)
    (void)host;
    return (int32_t)call * 0;
#elif defined(SIN_DESCRIBE_NULL)
    return host->answer(call, NULL, 0);
#elif defined(SIN_DESCRIBE_NOT_UTF8)
    return host->answer(call, "{\"id\": \"\xff\xfe\"}", 12);
#elif defined(SIN_DESCRIBE_NOT_JSON)
    return host->answer(call, "good", 4);
#elif defined(SIN_DESCRIBE_HUGE)
    return host->answer(call, GOOD, (size_t)-1);
#elif defined(SIN_DESCRIBE_CRASHES)
    (void)host;
    abort();
    return (int32_t)call;
#elif defined(SIN_DESCRIBE_HANGS)
    while (!host->cancelled(call)) continue;
    return AUTOSCORER_OK;
#elif defined(SIN_OTHER_NAME)
    return host->answer(call, OTHER_NAME, sizeof OTHER_NAME - 1);
#elif defined(SIN_OTHER_PARAMS)
    return host->answer(call, OTHER_PARAMS, sizeof OTHER_PARAMS - 1);
#elif defined(SIN_BAD_DEFAULT)
    return host->answer(call, BAD_DEFAULT, sizeof BAD_DEFAULT - 1);
#else
#if defined(SIN_DESCRIBE_TWICE)
    host->answer(call, GOOD, sizeof GOOD - 1);
#endif
    return host->answer(call, GOOD, sizeof GOOD - 1);
#endif
}

int32_t score(const struct autoscorer_host *host, const struct autoscorer_request *request) {
#if defined(SIN_SCORE_SILENT)
    (void)host;
    return (int32_t)request->call * 0;
#else
    static const char answer[] =
        "{\"summary\":{\"score\":0.5,\"primary_metric\":\"half\",\"direction\":\"higher\"},\"metrics\":{\"half\":0.5}}";
    return host->answer(request->call, answer, sizeof answer - 1);
#endif
}

#define SIZE (uint32_t)sizeof(struct autoscorer_plugin)
#if defined(SIN_WRONG_MAGIC)
#define TABLE 42, AUTOSCORER_VERSION, SIZE, describe, NULL, score
#elif defined(SIN_WRONG_VERSION)
#define TABLE AUTOSCORER_MAGIC, 2, SIZE, describe, NULL, score
#elif defined(SIN_TOO_SMALL)
#define TABLE AUTOSCORER_MAGIC, AUTOSCORER_VERSION, SIZE - 8, describe, NULL, score
#elif defined(SIN_NO_DESCRIBE)
#define TABLE AUTOSCORER_MAGIC, AUTOSCORER_VERSION, SIZE, NULL, NULL, score
#elif defined(SIN_NO_SCORE)
#define TABLE AUTOSCORER_MAGIC, AUTOSCORER_VERSION, SIZE, describe, NULL, NULL
#elif defined(SIN_FUNCTION_NOWHERE)
#define TABLE AUTOSCORER_MAGIC, AUTOSCORER_VERSION, SIZE, (autoscorer_entry)8, NULL, score
#elif defined(LARGER)
/* What a newer header may have. */
#define TABLE AUTOSCORER_MAGIC, AUTOSCORER_VERSION, SIZE + 64, describe, NULL, score
#else
#define TABLE AUTOSCORER_MAGIC, AUTOSCORER_VERSION, SIZE, describe, NULL, score
#endif

struct autoscorer_plugin plugin = {TABLE};

#if !defined(SIN_NO_ENTRY)
const struct autoscorer_plugin *autoscorer_plugin_v1(void) {
#if defined(SIN_NULL_TABLE)
    return NULL;
#elif defined(SIN_ODD_TABLE)
    return (const struct autoscorer_plugin *)((const char *)&plugin + 1);
#elif defined(SIN_TABLE_NOWHERE)
    return (const struct autoscorer_plugin *)4096;
#elif defined(SIN_ENTRY_HANGS)
    volatile int on = 1;
    while (on) continue;
#endif
    return &plugin;
}
#endif

#if defined(SIN_CONSTRUCTOR_CRASHES)
__attribute__((constructor)) static void crash(void) { abort(); }
#endif

#if defined(SLOW)
__attribute__((constructor)) static void linger(void) {
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
}
#endif
