// Reads an Arrow C stream into owned columns: numbers, truth values, or text as codes and levels.
// https://arrow.apache.org/docs/format/CDataInterface.html is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bough {

// The three structs of the specification, field by field.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// How the values of a column are stored.
enum class Store { float64, float32, codes, truth };

// One column of the stream.
struct ArrowColumn {
  std::string name;
  // "int", "float", "bool", "text", "date" (days since 1970-01-01) or "datetime" (seconds since
  // 1970-01-01T00:00). Of a dictionary: what its values are.
  std::string form = "float";
  Store store = Store::float64;
  // float64 or float32: NaN where missing. codes: int32, -1 where missing. truth: int8, -1 where
  // missing. The memory is ours, or the source's when it could be taken over as it is.
  std::shared_ptr<const void> values;
  std::size_t rows = 0;
  // What the codes stand for: texts, or (a dictionary of numbers or truth values) numbers.
  std::vector<std::string> texts;
  std::vector<double> numbers;
  bool declared = false;    // the levels are those of a dictionary, in its order
  bool ordered = false;     // the dictionary says that its order means something
  std::string unsupported;  // the name of a type that cannot be read; then there are no values
};

// Consumes and releases the stream. Throws std::runtime_error when the source fails or hands over
// something that is not Arrow data.
std::vector<ArrowColumn> read_arrow(ArrowArrayStream* stream);

}  // namespace bough
