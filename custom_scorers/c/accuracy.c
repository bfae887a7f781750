/* A scorer in C: the share of rows whose label is right. Ground truth and predictions are CSV files of id,label. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "autoscorer_plugin.h"

#define ACCURACY                                                                                   \
    AUTOSCORER_JSON({                                                                              \
        "id": "c_accuracy",                                                                        \
        "version": "1.0.0",                                                                        \
        "summary": "Share of right labels, in C",                                                  \
        "algorithm": "Accuracy",                                                                   \
        "params": {"type": "object", "properties": {                                               \
            "ignore_case": {"type": "boolean", "default": false, "description": "cat equals CAT"}, \
            "pass_threshold": {"type": "number", "default": 0.8, "description": "The least score that passes"} \
        }}                                                                                         \
    })

AUTOSCORER_METADATA("c-accuracy 1.0.0", ACCURACY);

#define GT "input/gt.csv"
#define PRED "output/pred.csv"
#define NOTHING {NULL, 0, 0, NULL, 0, 0, NULL, 0}

/* Where the id and the label of a row begin in the table's text. */
struct row {
    size_t id;
    size_t label;
};

struct table {
    char *text;
    size_t length, text_room;
    struct row *rows;
    size_t count, row_room;
    size_t *slots; /* by the hash of their id: the number of a row, counted from 1, or 0 */
    size_t slot_room; /* a power of two */
};

static int fail(const struct autoscorer_host *host, uint64_t call, const char *code, const char *message,
                const char *file, uint64_t line) {
    host->fault(call, code, message, file, line, NULL);
    return AUTOSCORER_ERROR;
}

/* Asked in every long loop: a scorer that has not stopped 150 ms after it was asked to is killed. */
static int stopped(const struct autoscorer_host *host, uint64_t call, size_t done) {
    return done % 1000 == 0 && host->cancelled(call);
}

/* The same memory with room for more, or NULL. */
static void *grown(void *memory, size_t *room, size_t needed, size_t each) {
    if (needed <= *room) return memory;
    *room = needed * 2;
    return realloc(memory, *room * each);
}

static const char *id_of(const struct table *table, size_t row) { return table->text + table->rows[row].id; }

static const char *label_of(const struct table *table, size_t row) { return table->text + table->rows[row].label; }

/* Keeps one line "id,label" as a row; 0 without memory. */
static int keep(struct table *table, const char *line, size_t comma, size_t length) {
    char *text = (char *)grown(table->text, &table->text_room, table->length + length + 1, 1);
    struct row *rows;
    if (text == NULL) return 0;
    table->text = text;
    rows = (struct row *)grown(table->rows, &table->row_room, table->count + 1, sizeof *rows);
    if (rows == NULL) return 0;
    table->rows = rows;
    memcpy(text + table->length, line, length);
    text[table->length + comma] = text[table->length + length] = '\0';
    rows[table->count].id = table->length;
    rows[table->count++].label = table->length + comma + 1;
    table->length += length + 1;
    return 1;
}

static int read_rows(const struct autoscorer_host *host, uint64_t call, const char *name, FILE *file,
                     struct table *table) {
    char line[512];
    uint64_t number = 1;
    if (fgets(line, sizeof line, file) == NULL || strncmp(line, "id,label", 8) != 0)
        return fail(host, call, "BAD_FORMAT", "the header is not id,label", name, number);
    while (fgets(line, sizeof line, file) != NULL) {
        const size_t comma = strcspn(line, ","), length = strcspn(line, "\r\n");
        number++;
        if (comma >= length || length + 1 >= sizeof line)
            return fail(host, call, "BAD_FORMAT", "a row that is not id,label", name, number);
        if (!keep(table, line, comma, length))
            return fail(host, call, "SCORE_ERROR", "no memory for the rows", name, number);
        if (stopped(host, call, table->count)) return AUTOSCORER_ERROR;
    }
    if (table->count == 0) return fail(host, call, "BAD_FORMAT", "no rows", name, 0);
    return AUTOSCORER_OK;
}

static size_t *slot_of(const struct table *table, const char *id) {
    uint64_t hash = 1469598103934665603u;
    const char *letter;
    size_t at;
    for (letter = id; *letter != '\0'; letter++) hash = (hash ^ (unsigned char)*letter) * 1099511628211u;
    at = (size_t)(hash ^ hash >> 32) & (table->slot_room - 1);
    while (table->slots[at] != 0 && strcmp(id_of(table, table->slots[at] - 1), id) != 0)
        at = (at + 1) & (table->slot_room - 1);
    return &table->slots[at];
}

/* Lets slot_of find the rows. A sort by the C library would do as well, but cannot be stopped. */
static int find_slots(const struct autoscorer_host *host, uint64_t call, const char *name, struct table *table) {
    size_t i;
    for (table->slot_room = 64; table->slot_room < 2 * table->count; table->slot_room *= 2) {}
    table->slots = (size_t *)calloc(table->slot_room, sizeof *table->slots);
    if (table->slots == NULL) return fail(host, call, "SCORE_ERROR", "no memory for the rows", name, 0);
    for (i = 0; i < table->count; i++) {
        size_t *slot = slot_of(table, id_of(table, i));
        if (*slot != 0) return fail(host, call, "MISMATCH", "an id that is there twice", name, i + 2);
        *slot = i + 1;
        if (stopped(host, call, i)) return AUTOSCORER_ERROR;
    }
    return AUTOSCORER_OK;
}

static void give_back(struct table *table) {
    free(table->text);
    free(table->rows);
    free(table->slots);
}

static int read_table(const struct autoscorer_host *host, const struct autoscorer_request *request, const char *name,
                      struct table *table) {
    char path[4096];
    FILE *file;
    int status;
    snprintf(path, sizeof path, "%s/%s", request->workspace, name);
    file = fopen(path, "r");
    if (file == NULL) return fail(host, request->call, "MISSING_FILE", "the file cannot be read", name, 0);
    status = read_rows(host, request->call, name, file, table);
    fclose(file);
    return status;
}

static int32_t validate(const struct autoscorer_host *host, const struct autoscorer_request *request) {
    struct table gt = NOTHING, pred = NOTHING;
    read_table(host, request, GT, &gt);
    read_table(host, request, PRED, &pred);
    give_back(&gt);
    give_back(&pred);
    return AUTOSCORER_OK; /* what was found, the host has been told */
}

static int compare(const struct autoscorer_host *host, uint64_t call, const struct table *gt, const struct table *pred) {
    char text[512], value[64] = "";
    size_t right = 0, i;
    double score, threshold;
    int ignore_case;
    host->param(call, "ignore_case", value, sizeof value);
    ignore_case = strcmp(value, "true") == 0;
    host->param(call, "pass_threshold", value, sizeof value);
    threshold = strtod(value, NULL);
    for (i = 0; i < gt->count; i++) {
        const size_t found = *slot_of(pred, id_of(gt, i));
        if (stopped(host, call, i)) return AUTOSCORER_ERROR;
        if (found == 0) {
            snprintf(text, sizeof text, "there is no prediction for id '%.400s'", id_of(gt, i));
            return fail(host, call, "MISMATCH", text, PRED, 0);
        }
        right += (ignore_case ? strcasecmp : strcmp)(label_of(pred, found - 1), label_of(gt, i)) == 0;
    }
    host->progress(call, gt->count, gt->count);
    snprintf(text, sizeof text, "%lu of %lu are right\n", (unsigned long)right, (unsigned long)gt->count);
    host->log(call, AUTOSCORER_INFO, text);
    if (host->artifact(call, "counts.txt", "text/plain", text, strlen(text)) != AUTOSCORER_OK) return AUTOSCORER_ERROR;
    score = (double)right / (double)gt->count;
    snprintf(text, sizeof text,
             "{\"summary\":{\"score\":%.17g,\"primary_metric\":\"accuracy\",\"direction\":\"higher\",\"pass\":%s},"
             "\"metrics\":{\"accuracy\":%.17g,\"rows\":%lu}}",
             score, score >= threshold ? "true" : "false", score, (unsigned long)gt->count);
    return host->answer(call, text, strlen(text));
}

static int32_t score(const struct autoscorer_host *host, const struct autoscorer_request *request) {
    struct table gt = NOTHING, pred = NOTHING;
    int status = read_table(host, request, GT, &gt);
    if (status == AUTOSCORER_OK) status = read_table(host, request, PRED, &pred);
    if (status == AUTOSCORER_OK) status = find_slots(host, request->call, PRED, &pred);
    if (status == AUTOSCORER_OK) status = compare(host, request->call, &gt, &pred);
    give_back(&gt);
    give_back(&pred);
    return status;
}

static int32_t describe(const struct autoscorer_host *host, const struct autoscorer_request *request) {
    return host->answer(request->call, ACCURACY, sizeof ACCURACY - 1);
}

AUTOSCORER_PLUGIN(describe, validate, score);
