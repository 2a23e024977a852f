#include "arrow.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_memory.hpp"
#include "arrow_types.hpp"

namespace bough {
namespace {

using namespace arrow;

constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void source_failed(ArrowArrayStream* stream) {
  const char* const why =
      stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream);
  throw std::runtime_error(why == nullptr ? "the source of the data failed and did not say why"
                                          : why);
}

// The columns of a stream of tables, or the one column of a stream of plain arrays.
class Columns {
 public:
  explicit Columns(const ArrowSchema& schema) {
    require(schema.format != nullptr, "a stream without a type");
    is_table_ = std::string_view(schema.format) == "+s";
    if (!is_table_) {
      add(schema);
      return;
    }
    require(schema.n_children >= 0, "a negative count");
    require(schema.n_children == 0 || schema.children != nullptr, "the children are missing");
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      require(schema.children[i] != nullptr, "a child is missing");
      add(*schema.children[i]);
    }
  }

  void take(ArrowArray* batch, bool is_only) {
    check_array(*batch);
    rows_ += batch->length;
    if (batch->length > most_rows || rows_ > most_rows) {
      throw std::runtime_error("the table has more than 2147483647 rows");
    }
    if (!is_table_) {
      give(0, batch, nullptr, is_only);
      return;
    }
    require(batch->n_children == static_cast<std::int64_t>(sinks_.size()),
            "a batch has another number of columns than the schema");
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      require(batch->children[i] != nullptr, "a child is missing");
      give(i, batch->children[i], batch, is_only);
    }
  }

  std::vector<ArrowColumn> finish() {
    std::vector<ArrowColumn> columns;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      columns.push_back(sinks_[i]->finish());
      columns.back().name = names_[i];
      if (!columns.back().unsupported.empty()) {
        columns.back().rows = static_cast<std::size_t>(rows_);
      }
    }
    return columns;
  }

 private:
  void add(const ArrowSchema& schema) {
    sinks_.push_back(sink_for(schema));
    names_.emplace_back(schema.name == nullptr ? "" : schema.name);
  }

  void give(std::size_t i, ArrowArray* array, const ArrowArray* outer, bool is_only) {
    Slice slice = whole(*array, sinks_[i]->n_buffers());
    if (outer != nullptr) {
      require(outer->offset + outer->length <= array->length, "a column is shorter than its batch");
      slice.begin += outer->offset;
      slice.length = outer->length;
      slice.outer_known = known_bits(*outer);
      slice.outer_begin = outer->offset;
    }
    if (!(is_only && sinks_[i]->adopt(array, slice))) {
      sinks_[i]->take(slice);
    }
  }

  bool is_table_ = true;
  std::int64_t rows_ = 0;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<std::string> names_;
};

Held<ArrowArray> next_batch(ArrowArrayStream* stream) {
  Held<ArrowArray> batch;
  if (stream->get_next(stream, batch.get()) != 0) {
    batch.get()->release = nullptr;  // nothing was handed over
    source_failed(stream);
  }
  return batch;
}

}  // namespace

std::vector<ArrowColumn> read_arrow(ArrowArrayStream* stream) {
  if (stream == nullptr || stream->release == nullptr) {
    throw std::runtime_error("the Arrow stream was already read; it can be read only once");
  }
  Held<ArrowArrayStream> held(*stream);
  stream->release = nullptr;  // it is ours now
  require(held->get_schema != nullptr && held->get_next != nullptr, "an incomplete stream");
  Held<ArrowSchema> schema;
  if (held->get_schema(held.get(), schema.get()) != 0) {
    schema.get()->release = nullptr;
    source_failed(held.get());
  }
  Columns columns(*schema);
  Held<ArrowArray> batch = next_batch(held.get());
  for (bool is_first = true; batch->release != nullptr; is_first = false) {
    Held<ArrowArray> next = next_batch(held.get());
    columns.take(batch.get(), is_first && next->release == nullptr);
    batch = std::move(next);
  }
  return columns.finish();
}

}  // namespace bough
