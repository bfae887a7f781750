/* A scorer that is told in params.sin what to do wrong. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autoscorer_plugin.h"

#define SINNER                                                                                                      \
    AUTOSCORER_JSON({"id": "c_sinner", "version": "1.0.0", "summary": "Sins", "algorithm": "None", "params": {"properties": { \
        "sin": {"type": "string", "default": "none"}, "text": {"type": "string", "default": "Grüße"}}}})

AUTOSCORER_METADATA("c-sinner 1.0.0", SINNER);

static const struct autoscorer_host *host;
static uint64_t call;
static uint64_t remembered;
static int refused;
static pthread_t stray;

static int32_t outcome(double deed) {
    char text[256];
    snprintf(text, sizeof text,
             "{\"summary\":{\"score\":%g,\"primary_metric\":\"deed\",\"direction\":\"higher\"},\"metrics\":{\"deed\":%g}}",
             deed, deed);
    return host->answer(call, text, strlen(text));
}

static int32_t say(const char *text) { return host->answer(call, text, strlen(text)); }

/* Every function of the host with a number that is no call's any more; counts those that do nothing. */
static void use(uint64_t old) {
    char buffer[8];
    refused += host->answer(old, "{}", 2) == AUTOSCORER_ERROR;
    refused += host->fault(old, "SCORE_ERROR", "late", NULL, 0, NULL) == AUTOSCORER_ERROR;
    refused += host->artifact(old, "late.txt", "text/plain", "late", 4) == AUTOSCORER_ERROR;
    refused += host->param(old, "sin", buffer, sizeof buffer) == AUTOSCORER_ERROR;
    refused += host->log(old, AUTOSCORER_ERROR, "late") == AUTOSCORER_ERROR;
    refused += host->progress(old, 1, 2) == AUTOSCORER_ERROR;
    refused += host->cancelled(old) == 1;
}

static void *stray_thread(void *number) {
    uint64_t old = *(uint64_t *)number;
    while (!host->cancelled(old)) continue;
    use(old);
    return NULL;
}

static void *helping_thread(void *unused) {
    (void)unused;
    host->log(call, AUTOSCORER_INFO, "from another thread");
    host->artifact(call, "threads/one.txt", "text/plain", "one", 3);
    outcome(1);
    return NULL;
}

static void path(const struct autoscorer_request *request, const char *folder, const char *name, char *buffer) {
    snprintf(buffer, 4096, "%s/%s", folder ? folder : request->workspace, name);
}

static void write_file(const char *name) {
    FILE *file = fopen(name, "w");
    if (file == NULL) return;
    fputs("mine", file);
    fclose(file);
}

static int is(const char *sin, const char *name) { return strcmp(sin, name) == 0; }

static int32_t garbage(const char *sin) {
    if (is(sin, "not_utf8")) return say("{\"summary\": \"\xc3\x28\"}");
    if (is(sin, "not_json")) return say("the score is 1");
    if (is(sin, "no_outcome")) return say("{\"score\": 1}");
    if (is(sin, "empty")) return say("");
    if (is(sin, "nan")) return outcome(NAN);
    if (is(sin, "too_large_a_number"))
        return say("{\"summary\":{\"score\":1e999,\"primary_metric\":\"m\",\"direction\":\"higher\"},\"metrics\":{}}");
    if (is(sin, "null")) return host->answer(call, NULL, 7);
    if (is(sin, "huge")) {
        char *text = malloc(5 << 20);
        memset(text, ' ', 5 << 20);
        return host->answer(call, text, 5 << 20);
    }
    if (is(sin, "twice")) {
        outcome(1);
        outcome(1);
    }
    if (is(sin, "returns_3")) return outcome(1), 3;
    if (is(sin, "fault_and_success")) {
        host->fault(call, "MISMATCH", "these do not belong together", "output/pred.csv", 7, "look at both");
        return outcome(1);
    }
    if (is(sin, "odd_faults")) {
        host->fault(call, "NO_SUCH_CODE", "\xff\xfe", NULL, 0, NULL);
        host->fault(call, NULL, NULL, NULL, 0, NULL);
    }
    return AUTOSCORER_OK; /* "never" among others */
}

static int32_t artifacts(const char *sin, const struct autoscorer_request *request) {
    char name[4096];
    if (is(sin, "artifact_outside")) host->artifact(call, "../up.txt", "text/plain", "up", 2);
    if (is(sin, "artifact_without_name")) host->artifact(call, NULL, NULL, "up", 2);
    if (is(sin, "artifact_not_there")) host->artifact(call, "nowhere.txt", "text/plain", NULL, 0);
    if (is(sin, "artifact_too_large")) host->artifact(call, "large.txt", "text/plain", "x", (size_t)-1);
    if (request->artifacts != NULL) {
        mkdir(request->artifacts, 0755);
        path(request, request->artifacts, "own.txt", name);
        if (is(sin, "artifact_link")) symlink("/etc/passwd", name) == 0 ? (void)0 : abort();
        else write_file(name);
    }
    if (!is(sin, "artifact_unlisted")) host->artifact(call, "own.txt", NULL, NULL, 0);
    return outcome(request->artifacts != NULL);
}

static int32_t threads(const char *sin) {
    static uint64_t number;
    pthread_t thread;
    number = call;
    if (!is(sin, "stray_end")) refused = 0;
    if (is(sin, "remember")) remembered = call;
    if (is(sin, "late")) use(remembered ? remembered : call);
    if (is(sin, "thread")) {
        pthread_create(&thread, NULL, helping_thread, NULL);
        return pthread_join(thread, NULL);
    }
    if (is(sin, "stray")) pthread_create(&stray, NULL, stray_thread, &number);
    if (is(sin, "stray_end")) pthread_join(stray, NULL);
    return outcome(refused);
}

static int32_t tell(const char *sin, const struct autoscorer_request *request) {
    char text[64] = "";
    if (is(sin, "time_left")) return outcome((double)request->time_left_ms);
    if (is(sin, "param")) return outcome(host->param(call, "text", text, 4) * 10.0 + strlen(text));
    if (is(sin, "no_param")) return outcome((double)host->param(call, "nothing", text, sizeof text));
    if (is(sin, "log")) {
        char *endless = malloc(1 << 20);
        memset(endless, 'x', 1 << 20);
        endless[(1 << 20) - 1] = '\0';
        host->log(call, 77, endless);
        host->log(call, AUTOSCORER_INFO, "\xff of no alphabet");
        host->log(call, AUTOSCORER_INFO, NULL);
        printf("printed\n");
        return outcome(1);
    }
    if (is(sin, "until_cancelled")) {
        char name[4096];
        path(request, NULL, "output/begun", name);
        write_file(name);
        while (!host->cancelled(call)) continue;
        return AUTOSCORER_ERROR;
    }
    return garbage(sin);
}

static int32_t score(const struct autoscorer_host *functions, const struct autoscorer_request *request) {
    char sin[64] = "";
    host = functions;
    call = request->call;
    host->param(call, "sin", sin, sizeof sin);
    if (is(sin, "none")) return outcome(0);
    if (is(sin, "segfault")) {
        host->log(call, AUTOSCORER_INFO, "about to write to nowhere");
        *(volatile int *)8 = 1;
    }
    if (is(sin, "abort")) abort();
    if (is(sin, "exit")) exit(0);
    if (is(sin, "hang")) for (;;) pause();
    if (strncmp(sin, "artifact", 8) == 0) return artifacts(sin, request);
    if (is(sin, "remember") || is(sin, "late") || is(sin, "thread") || is(sin, "stray") || is(sin, "stray_end"))
        return threads(sin);
    return tell(sin, request);
}

static int32_t validate(const struct autoscorer_host *functions, const struct autoscorer_request *request) {
    char sin[64] = "";
    int n;
    functions->param(request->call, "sin", sin, sizeof sin);
    if (is(sin, "answers")) return functions->answer(request->call, "{}", 2);
    if (is(sin, "returns_3")) return 3;
    if (is(sin, "abort")) abort();
    for (n = 0; is(sin, "many") && n < 250; n++)
        functions->fault(request->call, "BAD_FORMAT", "wrong", "input/gt.csv", (uint64_t)n + 2, NULL);
    return AUTOSCORER_OK;
}

static int32_t describe(const struct autoscorer_host *functions, const struct autoscorer_request *request) {
    return functions->answer(request->call, SINNER, sizeof SINNER - 1);
}

AUTOSCORER_PLUGIN(describe, validate, score);
