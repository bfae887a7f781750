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

struct row {
    char id[128];
    char label[128];
};

struct table {
    struct row *rows;
    size_t count;
};

static int by_id(const void *a, const void *b) {
    return strcmp(((const struct row *)a)->id, ((const struct row *)b)->id);
}

static int fail(const struct autoscorer_host *host, uint64_t call, const char *code, const char *message,
                const char *file, uint64_t line) {
    host->fault(call, code, message, file, line, NULL);
    return AUTOSCORER_ERROR;
}

/* One line "id,label" into a row; the buffers limit what is taken. */
static int split(char *line, struct row *row) {
    char *comma = strchr(line, ',');
    line[strcspn(line, "\r\n")] = '\0';
    if (comma == NULL || (size_t)(comma - line) >= sizeof row->id || strlen(comma + 1) >= sizeof row->label) return 0;
    *comma = '\0';
    strcpy(row->id, line);
    strcpy(row->label, comma + 1);
    return 1;
}

static int read_rows(const struct autoscorer_host *host, uint64_t call, const char *name, FILE *file,
                     struct table *table) {
    char line[512];
    uint64_t number = 1;
    size_t room = 0;
    if (fgets(line, sizeof line, file) == NULL || strncmp(line, "id,label", 8) != 0)
        return fail(host, call, "BAD_FORMAT", "the header is not id,label", name, number);
    while (fgets(line, sizeof line, file) != NULL) {
        number++;
        if (table->count == room) {
            struct row *more;
            room = room ? room * 2 : 64;
            more = (struct row *)realloc(table->rows, room * sizeof *more);
            if (more == NULL) return fail(host, call, "SCORE_ERROR", "no memory for the rows", name, number);
            table->rows = more;
        }
        if (!split(line, &table->rows[table->count]))
            return fail(host, call, "BAD_FORMAT", "a row that is not id,label", name, number);
        table->count++;
        if (number % 1000 == 0 && host->cancelled(call)) return AUTOSCORER_ERROR;
    }
    if (table->count == 0) return fail(host, call, "BAD_FORMAT", "no rows", name, 0);
    qsort(table->rows, table->count, sizeof *table->rows, by_id);
    return AUTOSCORER_OK;
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
    struct table gt = {NULL, 0}, pred = {NULL, 0};
    read_table(host, request, GT, &gt);
    read_table(host, request, PRED, &pred);
    free(gt.rows);
    free(pred.rows);
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
        const struct row *found = (const struct row *)bsearch(&gt->rows[i], pred->rows, pred->count, sizeof *found, by_id);
        if (found == NULL) {
            snprintf(text, sizeof text, "there is no prediction for id '%s'", gt->rows[i].id);
            return fail(host, call, "MISMATCH", text, PRED, 0);
        }
        right += (ignore_case ? strcasecmp(found->label, gt->rows[i].label) : strcmp(found->label, gt->rows[i].label)) == 0;
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
    struct table gt = {NULL, 0}, pred = {NULL, 0};
    int status = read_table(host, request, GT, &gt);
    if (status == AUTOSCORER_OK) status = read_table(host, request, PRED, &pred);
    if (status == AUTOSCORER_OK) status = compare(host, request->call, &gt, &pred);
    free(gt.rows);
    free(pred.rows);
    return status;
}

static int32_t describe(const struct autoscorer_host *host, const struct autoscorer_request *request) {
    return host->answer(request->call, ACCURACY, sizeof ACCURACY - 1);
}

AUTOSCORER_PLUGIN(describe, validate, score);
