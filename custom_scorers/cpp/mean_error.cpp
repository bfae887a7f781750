// A scorer in C++: the mean distance between predicted and true values. Both are CSV files of id,value.
#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "autoscorer_plugin.h"

#define MEAN_ERROR                                              \
    AUTOSCORER_JSON({                                           \
        "id": "cpp_mean_error",                                 \
        "version": "1.0.0",                                     \
        "summary": "Mean distance of values, in C++",           \
        "algorithm": "Mean absolute error",                     \
        "params": {"type": "object", "properties": {            \
            "value_column": {"type": "string", "default": "value", "description": "The column with the number"} \
        }}                                                      \
    })

AUTOSCORER_METADATA("cpp-mean-error 1.0.0", MEAN_ERROR);

namespace {

// What is wrong with the data, and where.
struct Fault : std::runtime_error {
    Fault(const char *code, const std::string &message, const std::string &file, uint64_t line = 0)
        : std::runtime_error(message), code(code), file(file), line(line) {}
    const char *code;
    std::string file;
    uint64_t line;
};

// One call with what the host lends it.
class Job {
  public:
    Job(const autoscorer_host &host, const autoscorer_request &request) : host(host), request(request) {}

    std::string param(const char *key) const {
        const int64_t size = host.param(request.call, key, nullptr, 0);
        if (size < 0) return std::string();
        std::string value(static_cast<size_t>(size) + 1, '\0');
        host.param(request.call, key, &value[0], value.size());
        value.resize(static_cast<size_t>(size));
        return value;
    }

    // To be called in every long loop: a scorer that has not stopped 150 ms after it was asked to is killed.
    void check() const {
        if (++checks % 1024 == 0 && host.cancelled(request.call)) throw Fault("CANCELLED", "the job was cancelled", "");
    }

    using Row = std::pair<std::string, double>;

    // The rows in the order of their ids.
    std::vector<Row> read(const std::string &name) const {
        std::ifstream file(std::string(request.workspace) + "/" + name);
        if (!file) throw Fault("MISSING_FILE", "the file cannot be read", name);
        std::string line;
        std::getline(file, line);
        if (line != "id," + param("value_column")) throw Fault("BAD_FORMAT", "the header is " + line, name, 1);
        std::vector<Row> rows;
        for (uint64_t number = 2; std::getline(file, line); ++number) {
            check();
            const size_t comma = line.find(',');
            if (comma == std::string::npos) throw Fault("BAD_FORMAT", "a row without a comma", name, number);
            rows.emplace_back(line.substr(0, comma), to_number(line.substr(comma + 1), name, number));
        }
        if (rows.empty()) throw Fault("BAD_FORMAT", "no rows", name);
        std::sort(rows.begin(), rows.end(), [this](const Row &a, const Row &b) {
            check();
            return a.first < b.first;
        });
        const auto same = [](const Row &a, const Row &b) { return a.first == b.first; };
        const auto twice = std::adjacent_find(rows.begin(), rows.end(), same);
        if (twice != rows.end()) throw Fault("MISMATCH", "the id '" + twice->first + "' is there twice", name);
        return rows;
    }

    void score() const {
        const std::vector<Row> gt = read("input/gt.csv"), pred = read("output/pred.csv");
        double sum = 0;
        auto found = pred.begin();
        for (const Row &row : gt) {
            check();
            while (found != pred.end() && found->first < row.first) ++found;
            if (found == pred.end() || found->first != row.first)
                throw Fault("MISMATCH", "no prediction for id '" + row.first + "'", "output/pred.csv");
            sum += std::fabs(found->second - row.second);
        }
        std::ostringstream json;
        json.precision(17);
        const double mean = sum / static_cast<double>(gt.size());
        json << "{\"summary\":{\"score\":" << mean << ",\"primary_metric\":\"mae\",\"direction\":\"lower\"},"
             << "\"metrics\":{\"mae\":" << mean << ",\"rows\":" << gt.size() << "}}";
        answer(json.str());
    }

    void answer(const std::string &json) const { host.answer(request.call, json.data(), json.size()); }

    // No exception may leave an entry, so each becomes a fault here.
    template <typename Work> int32_t guarded(Work work) const {
        try {
            work();
            return AUTOSCORER_OK;
        } catch (const Fault &fault) {
            host.fault(request.call, fault.code, fault.what(), fault.file.c_str(), fault.line, nullptr);
        } catch (const std::exception &error) {
            host.fault(request.call, "SCORE_ERROR", error.what(), nullptr, 0, nullptr);
        } catch (...) {
            host.fault(request.call, "SCORE_ERROR", "an exception of an unknown kind", nullptr, 0, nullptr);
        }
        return AUTOSCORER_ERROR;
    }

  private:
    static double to_number(const std::string &text, const std::string &name, uint64_t line) {
        size_t used = 0;
        double value = 0;
        try {
            value = std::stod(text, &used);
        } catch (const std::exception &) {
            used = std::string::npos;
        }
        if (used != text.size() || !std::isfinite(value)) throw Fault("TYPE_ERROR", text + " is no number", name, line);
        return value;
    }

    const autoscorer_host &host;
    const autoscorer_request &request;
    mutable uint64_t checks = 0;
};

int32_t describe(const autoscorer_host *host, const autoscorer_request *request) {
    return host->answer(request->call, MEAN_ERROR, sizeof MEAN_ERROR - 1);
}

int32_t score(const autoscorer_host *host, const autoscorer_request *request) {
    const Job job(*host, *request);
    return job.guarded([&job] { job.score(); });
}

} // namespace

AUTOSCORER_PLUGIN(describe, nullptr, score);
