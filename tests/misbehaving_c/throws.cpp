// A scorer in C++ whose exception leaves its entry.
#include <stdexcept>

#include "autoscorer_plugin.h"

#define THROWS \
    AUTOSCORER_JSON({"id": "cpp_throws", "version": "1.0.0", "summary": "Throws", "algorithm": "None", "params": {}})

AUTOSCORER_METADATA("throws 1.0.0", THROWS);

static int32_t describe(const autoscorer_host *host, const autoscorer_request *request) {
    return host->answer(request->call, THROWS, sizeof THROWS - 1);
}

static int32_t score(const autoscorer_host *, const autoscorer_request *) { throw std::runtime_error("not caught"); }

AUTOSCORER_PLUGIN(describe, nullptr, score);
