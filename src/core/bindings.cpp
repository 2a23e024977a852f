// The door to Python: a handful of functions, arrays in and arrays out. The only file that knows
// nanobind. Whatever is wrong with an argument is found here or by the function called, and becomes
// a ValueError; bough's Python code has said it more kindly before.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <string>
#include <thread>

#include "apply.hpp"
#include "arrow.hpp"
#include "chi2_p.hpp"
#include "codes.hpp"
#include "criteria/cost_gini.hpp"
#include "criteria/registry.hpp"
#include "criteria/squared_error.hpp"
#include "grow.hpp"
#include "limits.hpp"
#include "merge.hpp"
#include "parallel.hpp"
#include "prices.hpp"
#include "types.hpp"
#include "ways.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {
namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Missing read_policy(const std::string& word) {
  const std::pair<const char*, Missing> words[] = {{"learned", Missing::learned},
                                                   {"own", Missing::own},
                                                   {"fractional", Missing::fractional},
                                                   {"surrogate", Missing::surrogate},
                                                   {"stop", Missing::stop}};
  for (const auto& [name, policy] : words)
    if (word == name) return policy;
  throw InputError("unknown policy for missing cells: " + word);
}

// (array, kind, number of levels, policy for missing cells) for every column; see bough/core.py.
std::vector<Column> read_columns(nb::list given, size_t n_rows) {
  std::vector<Column> columns;
  columns.reserve(given.size());
  for (nb::handle item : given) {
    const auto entry = nb::cast<nb::tuple>(item);
    const auto array = nb::cast<AnyColumn>(entry[0]);
    const auto kind = nb::cast<std::string>(entry[1]);
    Column column;
    column.data = static_cast<const char*>(array.data());
    column.kind = kind == "number"    ? Kind::number
                  : kind == "ordered" ? Kind::ordered
                                      : Kind::category;
    column.n_levels = nb::cast<int32_t>(entry[2]);
    column.missing = read_policy(nb::cast<std::string>(entry[3]));
    const auto type = array.dtype();
    if (type == nb::dtype<double>()) column.cell = Cell::f64;
    else if (type == nb::dtype<float>()) column.cell = Cell::f32;
    else if (type == nb::dtype<int32_t>()) column.cell = Cell::i32;
    else throw InputError("a column must be float64, float32 or int32");
    if ((column.cell == Cell::i32) != (column.kind != Kind::number))
      throw InputError("numbers are float64 or float32, levels are int32");
    column.stride = static_cast<ptrdiff_t>(array.stride(0)) * static_cast<ptrdiff_t>(type.bits / 8);
    if (array.shape(0) != n_rows) throw InputError("columns of different length");
    columns.push_back(column);
  }
  return columns;
}

template <class E>
E pick(const nb::dict& options, const char* name, std::initializer_list<const char*> words) {
  const auto word = nb::cast<std::string>(options[name]);
  int i = 0;
  for (const char* w : words) {
    if (word == w) return static_cast<E>(i);
    ++i;
  }
  throw InputError(std::string(name) + ": unknown value " + word);
}

// How the search goes about it (types.hpp): tests turn these, nobody else names them.
void read_switches(const nb::dict& given, Options& o) {
  const auto read = [&]<class T>(const char* name, T& value) {
    if (given.contains(name)) value = nb::cast<T>(given[name]);
  };
  read("bound", o.bound);
  read("subtract", o.subtract);
  read("fine_codes", o.fine_codes);
  read("most_bins", o.most_bins);
  read("block_rows", o.block_rows);
  read("shared_cells", o.shared_cells);
  read("most_waiting", o.most_waiting);
}

Options read_options(const nb::dict& given) {
  Options o;
  o.criterion = criterion_index(nb::cast<std::string>(given["criterion"]));
  if (o.criterion < 0) throw InputError("unknown criterion");
  o.ratio_average = pick<int>(given, "ratio_among", {"average", "all"}) == 0;
  o.categories =
      pick<Categories>(given, "categories", {"subset", "branches", "one_vs_rest", "merged"});
  o.style = pick<Style>(given, "threshold", {"midpoint", "observed", "short"});
  o.strict = pick<int>(given, "equality", {"<=", "<"}) == 1;
  o.zero_gain_split = pick<int>(given, "zero_gain", {"split", "stop"}) == 0;
  o.runners_up = nb::cast<bool>(given["runners_up"]);
  o.max_depth = nb::cast<int32_t>(given["max_depth"]);  // −1: no limit
  if (o.max_depth < 0) o.max_depth = std::numeric_limits<int32_t>::max();
  o.max_leaves = nb::cast<int64_t>(given["max_leaves"]);  // 0: no limit
  o.min_rows_split = nb::cast<int64_t>(given["min_rows_split"]);
  o.min_rows_leaf = nb::cast<int64_t>(given["min_rows_leaf"]);
  o.min_gain = nb::cast<double>(given["min_gain"]);
  o.min_drop = nb::cast<double>(given["min_drop"]);
  o.stop_error = nb::cast<double>(given["stop_error"]);
  o.exact = nb::cast<bool>(given["exact"]);
  o.merge_p = nb::cast<double>(given["merge_p"]);
  o.max_adjusted_p = nb::cast<double>(given["max_adjusted_p"]);
  o.threads = std::max(1, nb::cast<int>(given["threads"]));
  read_switches(given, o);
  if (!(o.merge_p >= 0 && o.merge_p <= 1) || !(o.max_adjusted_p >= 0 && o.max_adjusted_p <= 1))
    throw InputError("a p is outside 0 to 1");
  if (o.max_leaves < 0 || o.min_rows_leaf < 1) throw InputError("a limit is out of range");
  return o;
}

// A vector as a numpy array, its memory handed over.
template <class T>
nb::object hand_over(std::vector<T>&& values, size_t per_row = 0) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (per_row)
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(
        kept->data(), {kept->size() / per_row, per_row}, owner));
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

nb::dict as_dict(Grown&& g) {
  nb::dict out;
  out["first_child"] = hand_over(std::move(g.first_child));
  out["n_children"] = hand_over(std::move(g.n_children));
  out["parent"] = hand_over(std::move(g.parent));
  out["split_kind"] = hand_over(std::move(g.split_kind));
  out["column"] = hand_over(std::move(g.column));
  out["threshold"] = hand_over(std::move(g.threshold));
  out["levels_at"] = hand_over(std::move(g.levels_at));
  out["levels"] = hand_over(std::move(g.levels));
  out["level_child"] = hand_over(std::move(g.level_child));
  out["unseen_to"] = hand_over(std::move(g.unseen_to));
  out["missing_to"] = hand_over(std::move(g.missing_to));
  out["missing_rows"] = hand_over(std::move(g.missing_rows));
  out["rows"] = hand_over(std::move(g.rows));
  out["weight"] = hand_over(std::move(g.weight));
  out["stats"] = hand_over(std::move(g.stats), static_cast<size_t>(g.n_stats));
  out["impurity"] = hand_over(std::move(g.impurity));
  out["gain"] = hand_over(std::move(g.gain));
  out["p_value"] = hand_over(std::move(g.p_value));
  out["runner_at"] = hand_over(std::move(g.runner_at));
  out["runner_column"] = hand_over(std::move(g.runner_column));
  out["runner_gain"] = hand_over(std::move(g.runner_gain));
  out["runner_threshold"] = hand_over(std::move(g.runner_threshold));
  if (!g.surrogate_column.empty()) {
    nb::dict surrogates;
    surrogates["at"] = hand_over(std::move(g.surrogate_at));
    surrogates["column"] = hand_over(std::move(g.surrogate_column));
    surrogates["threshold"] = hand_over(std::move(g.surrogate_threshold));
    surrogates["flipped"] = hand_over(std::move(g.surrogate_flipped));
    surrogates["agreement"] = hand_over(std::move(g.surrogate_agreement));
    surrogates["levels_at"] = hand_over(std::move(g.surrogate_levels_at));
    surrogates["levels"] = hand_over(std::move(g.surrogate_levels));
    surrogates["level_child"] = hand_over(std::move(g.surrogate_level_child));
    out["surrogates"] = surrogates;
  } else {
    out["surrogates"] = nb::none();
  }
  out["ties"] = g.ties;
  out["ordered_subsets"] = g.ordered_subsets;
  out["too_many_levels"] = hand_over(std::move(g.too_many_levels));
  return out;
}

// Works without the GIL. Long runs are watched, so that Ctrl-C is noticed and progress told.
template <class Work>
void work_released(size_t cells, const nb::object& progress, const Work& work) {
  Control control;
  nb::gil_scoped_release released;
  if (cells < 1'000'000) return work(control);
  bool signalled = false;
  try {
    run_watched(
        control, [&] { work(control); },
        [&] {
          nb::gil_scoped_acquire held;
          if (PyErr_CheckSignals() != 0) return signalled = true;
          if (!progress.is_none()) progress(control.rows_done.load());
          return false;
        });
  } catch (const Interrupted&) {
    nb::gil_scoped_acquire held;
    if (signalled) throw nb::python_error();  // what the signal handler raised
    throw;
  }
  if (signalled) {  // it came too late to stop anything
    nb::gil_scoped_acquire held;
    throw nb::python_error();
  }
}

// The codes of a table, kept for the trees of several parts of it.
struct KeptCodes {
  std::shared_ptr<const Codes> codes;
};

KeptCodes py_encode(nb::list columns, size_t n_rows, int threads) {
  const std::vector<Column> given = read_columns(columns, n_rows);
  if (n_rows > row_of) throw InputError("more than 2147483647 rows");
  KeptCodes kept;
  work_released(n_rows * given.size(), nb::none(), [&](Control& control) {
    Pool pool(std::max(1, threads), &control);
    std::vector<uint32_t> rows(n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    kept.codes = std::make_shared<const Codes>(given, rows, n_rows, Options{}, pool);
  });
  return kept;
}

KeptCodes py_take_codes(const KeptCodes& whole, In<int64_t> rows, int threads) {
  std::vector<uint32_t> chosen(rows.shape(0));
  for (size_t i = 0; i < chosen.size(); ++i) {
    const int64_t row = rows.data()[i];
    if (row < 0 || static_cast<size_t>(row) >= whole.codes->n_rows())
      throw InputError("row " + std::to_string(row) + " is not among those that were coded");
    chosen[i] = static_cast<uint32_t>(row);
  }
  KeptCodes kept;
  work_released(chosen.size(), nb::none(), [&](Control& control) {
    Pool pool(std::max(1, threads), &control);
    kept.codes = std::make_shared<const Codes>(*whole.codes, chosen, pool);
  });
  return kept;
}

// A k × k matrix, or null; the caller keeps it alive.
const double* read_costs(const nb::object& costs, int32_t k) {
  if (costs.is_none()) return nullptr;
  const auto matrix = nb::cast<In2<double>>(costs);
  if (matrix.shape(0) != static_cast<size_t>(k) || matrix.shape(1) != static_cast<size_t>(k))
    throw InputError("costs are not a matrix of classes x classes");
  return matrix.data();
}

template <class T>
std::vector<T> copied(const nb::handle& array) {
  const auto values = nb::cast<In<T>>(array);
  return {values.data(), values.data() + values.shape(0)};
}

CostRule rule_named(const std::string& name) {
  if (name == "norton") return CostRule::norton;
  if (name == "tan") return CostRule::tan;
  if (name == "nunez") return CostRule::nunez;
  throw InputError("unknown cost rule");
}

TestCosts read_test_costs(const nb::object& given, const nb::dict& options) {
  if (given.is_none()) return {};
  const auto costs = nb::cast<nb::dict>(given);
  return {rule_named(nb::cast<std::string>(options["cost_rule"])), copied<double>(costs["cost"]),
          copied<int32_t>(costs["group"]), copied<double>(costs["group_cost"])};
}

nb::dict py_grow(nb::list columns, nb::object target, int32_t n_classes, nb::object weights,
                 nb::dict options, nb::object costs, nb::object test_costs, nb::object progress,
                 nb::object codes) {
  Problem problem;
  In<int32_t> classes;
  In<double> numbers, weight;
  if (n_classes > 0) {
    classes = nb::cast<In<int32_t>>(target);
    problem.classes = classes.data();
    problem.n_rows = classes.shape(0);
  } else {
    numbers = nb::cast<In<double>>(target);
    problem.numbers = numbers.data();
    problem.n_rows = numbers.shape(0);
  }
  if (!weights.is_none()) {
    weight = nb::cast<In<double>>(weights);
    if (weight.shape(0) != problem.n_rows) throw InputError("weights of another length");
    problem.weights = weight.data();
  }
  problem.n_classes = n_classes;
  problem.costs = read_costs(costs, n_classes);
  problem.test_costs = read_test_costs(test_costs, options);
  problem.columns = read_columns(columns, problem.n_rows);
  problem.options = read_options(options);
  if (!codes.is_none()) problem.codes = nb::cast<const KeptCodes&>(codes).codes;
  Grown grown;
  work_released(problem.n_rows * problem.columns.size(), progress,
                [&](Control& control) { grown = grow(problem, control); });
  return as_dict(std::move(grown));
}

// The arrays of bough.tree.Surrogates, checked for length; `kept` keeps them alive.
void read_surrogates(const nb::dict& given, TreeView& tree, std::vector<nb::object>& kept) {
  const auto array = [&]<class T>(const char* name, const T*& data) {
    kept.push_back(given[name]);
    const auto values = nb::cast<In<T>>(kept.back());
    data = values.data();
    return values.shape(0);
  };
  const size_t at = array("at", tree.surrogate_at), n = array("column", tree.surrogate_column);
  const size_t threshold = array("threshold", tree.surrogate_threshold);
  const size_t flipped = array("flipped", tree.surrogate_flipped);
  const size_t levels_at = array("levels_at", tree.surrogate_levels_at);
  const size_t levels = array("levels", tree.surrogate_levels);
  const size_t child = array("level_child", tree.surrogate_level_child);
  if (at != tree.n_nodes + 1 || threshold != n || flipped != n || levels_at != n + 1 ||
      levels != child)
    throw InputError("surrogate arrays of different length");
  tree.n_surrogates = static_cast<int64_t>(n);
  tree.n_surrogate_levels = static_cast<int64_t>(levels);
}

nb::tuple py_limits(nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu> array) {
  Matrix matrix;
  const auto type = array.dtype();
  if (type == nb::dtype<float>()) matrix.cell = Cell::f32;
  else if (type != nb::dtype<double>()) throw InputError("a matrix must be float64 or float32");
  const auto size = static_cast<ptrdiff_t>(type.bits / 8);
  matrix.data = static_cast<const char*>(array.data());
  matrix.rows = array.shape(0);
  matrix.columns = array.shape(1);
  matrix.row_stride = static_cast<ptrdiff_t>(array.stride(0)) * size;
  matrix.column_stride = static_cast<ptrdiff_t>(array.stride(1)) * size;
  Limits found;
  {
    nb::gil_scoped_release released;
    found = limits_of(matrix);
  }
  return nb::make_tuple(hand_over(std::move(found.low)), hand_over(std::move(found.high)));
}

nb::object py_apply(nb::list columns, size_t n_rows, bool strict, In<int32_t> first_child,
                    In<int32_t> n_children, In<int32_t> column, In<uint8_t> split_kind,
                    In<double> threshold, In<int64_t> levels_at, In<int32_t> levels,
                    In<int16_t> level_child, In<int16_t> unseen_to, In<int16_t> missing_to,
                    nb::object surrogates, nb::object start, int threads) {
  const size_t n = first_child.shape(0);
  for (size_t other : {n_children.shape(0), column.shape(0), split_kind.shape(0),
                       threshold.shape(0), unseen_to.shape(0), missing_to.shape(0)})
    if (other != n) throw InputError("node arrays of different length");
  if (levels_at.shape(0) != n + 1 || level_child.shape(0) != levels.shape(0) ||
      levels_at.data()[n] != static_cast<int64_t>(levels.shape(0)))
    throw InputError("level arrays of the wrong length");
  TreeView tree;
  tree.n_nodes = n;
  tree.strict = strict;
  tree.first_child = first_child.data();
  tree.n_children = n_children.data();
  tree.column = column.data();
  tree.split_kind = split_kind.data();
  tree.threshold = threshold.data();
  tree.levels_at = levels_at.data();
  tree.levels = levels.data();
  tree.level_child = level_child.data();
  tree.unseen_to = unseen_to.data();
  tree.missing_to = missing_to.data();
  std::vector<nb::object> kept;  // the arrays of the surrogates
  if (!surrogates.is_none()) read_surrogates(nb::cast<nb::dict>(surrogates), tree, kept);
  const std::vector<Column> given = read_columns(columns, n_rows);
  In<int32_t> from;
  if (!start.is_none()) {
    from = nb::cast<In<int32_t>>(start);
    if (from.shape(0) != n_rows) throw InputError("start nodes of another length");
  }
  auto leaf = std::make_unique_for_overwrite<int32_t[]>(n_rows);
  {
    nb::gil_scoped_release released;
    apply(tree, given, n_rows, threads, start.is_none() ? nullptr : from.data(), leaf.get());
  }
  const nb::capsule owner(leaf.get(), [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>(leaf.release(), {n_rows}, owner));
}

const Criterion& criterion_named(const std::string& name) {
  const int i = criterion_index(name);
  if (i < 0) throw InputError("unknown criterion");
  return criteria[i];
}

void need_costs(const Criterion& criterion, const nb::object& costs) {
  if (criterion.name == CostGini::name && costs.is_none())
    throw InputError("cost_gini needs costs");
}

// Regression hands in [weight, sum, sum of squares].
double moments_impurity(const double* s) {
  const double mean = s[1] / s[0];
  return std::max(0.0, s[2] / s[0] - mean * mean);
}

double py_impurity(const std::string& name, In<double> stats, nb::object costs) {
  const Criterion& criterion = criterion_named(name);
  need_costs(criterion, costs);
  const auto k = static_cast<int32_t>(stats.shape(0));
  if (criterion.regression) {
    if (k != 3) throw InputError("regression wants [weight, sum, sum of squares]");
    return moments_impurity(stats.data());
  }
  double weight = 0;
  for (int32_t c = 0; c < k; ++c) weight += stats.data()[c];
  if (!(weight > 0)) throw InputError("no weight");
  return criterion.impurity(stats.data(), k, weight, read_costs(costs, k));
}

double py_gain(const std::string& name, In2<double> children, nb::object costs) {
  const Criterion& criterion = criterion_named(name);
  need_costs(criterion, costs);
  const auto k = static_cast<int32_t>(children.shape(1));
  std::vector<double> all(static_cast<size_t>(k), 0.0), weight;
  std::vector<double> rows;
  double total = 0;
  for (size_t i = 0; i < children.shape(0); ++i) {
    const double* s = children.data() + i * static_cast<size_t>(k);
    double w = criterion.regression ? s[0] : 0;
    if (!criterion.regression)
      for (int32_t c = 0; c < k; ++c) w += s[c];
    if (!(w > 0)) continue;  // an empty child does not count
    weight.push_back(w);
    total += w;
    rows.insert(rows.end(), s, s + k);
    for (int32_t c = 0; c < k; ++c) all[static_cast<size_t>(c)] += s[c];
  }
  if (weight.size() < 2) return 0.0;
  double impurity = 0;
  if (criterion.regression) {
    if (k != 3) throw InputError("regression wants [weight, sum, sum of squares]");
    impurity = moments_impurity(all.data());
    all[2] = 0;  // the search keeps the sum in two parts
    for (size_t i = 0; i < weight.size(); ++i) rows[i * 3 + 2] = 0;
  } else {
    impurity = criterion.impurity(all.data(), k, total, read_costs(costs, k));
  }
  std::vector<const double*> child;
  for (size_t i = 0; i < weight.size(); ++i) child.push_back(&rows[i * static_cast<size_t>(k)]);
  Parent node{all.data(), k, total, impurity};
  if (!criterion.regression) node.costs = read_costs(costs, k);
  if (criterion.regression) SquaredError::find_centre(node, 0);
  if (child.size() == 2) return criterion.two(node, child[0], weight[0]);
  return criterion.many(node, child.data(), weight.data(), static_cast<int32_t>(child.size()));
}

// (rank, figure) of Weighed.
nb::tuple py_weigh(const std::string& rule, const std::string& criterion, double gain,
                   double impurity, double weight, double price) {
  const double scale = criterion_named(criterion).scale(impurity, weight);
  const Weighed weighed = weigh(rule_named(rule), scale > 0 ? gain / scale : 0, price);
  return nb::make_tuple(static_cast<int>(weighed.rank), weighed.figure);
}

// ---- Arrow -------------------------------------------------------------------------------------

template <class T>
nb::object arrow_values(const ArrowColumn& column) {
  auto* kept = new std::shared_ptr<const void>(column.values);
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(static_cast<const T*>(kept->get()),
                                                               {column.rows}, owner));
}

nb::object arrow_values(const ArrowColumn& column) {
  if (!column.unsupported.empty()) return nb::none();
  switch (column.store) {
    case Store::float64: return arrow_values<double>(column);
    case Store::float32: return arrow_values<float>(column);
    case Store::codes: return arrow_values<int32_t>(column);
    case Store::truth: break;
  }
  return arrow_values<int8_t>(column);
}

// (name, form, values, levels or None, declared, ordered, unsupported type or None) per column.
nb::list py_read_arrow(nb::capsule stream) {
  auto* given =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(stream.ptr(), "arrow_array_stream"));
  if (!given) throw nb::python_error();
  std::vector<ArrowColumn> columns;
  {
    nb::gil_scoped_release released;
    columns = read_arrow(given);
  }
  nb::list out;
  for (const ArrowColumn& column : columns) {
    nb::object levels = nb::none();
    if (!column.texts.empty() || (column.store == Store::codes && column.numbers.empty()))
      levels = nb::cast(column.texts);
    else if (!column.numbers.empty()) levels = nb::cast(column.numbers);
    out.append(nb::make_tuple(
        column.name, column.form, arrow_values(column), levels, column.declared, column.ordered,
        column.unsupported.empty() ? nb::none() : nb::cast(column.unsupported)));
  }
  return out;
}

// How the levels of a column are merged: (first level of either part, p, outcome) of every meeting.
// `stats`: class weights per level, missing cells last.
nb::list py_meetings(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> stats,
                     nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> rows,
                     bool ordered, bool missing, double merge_p, int64_t min_rows_leaf) {
  if (stats.shape(0) != rows.shape(0) || stats.shape(0) < 2 || stats.shape(1) < 1)
    throw InputError("meetings: a line of class weights and a number of rows per level");
  if (stats.shape(0) > most_merging_parts) throw InputError("meetings: too many levels");
  Groups groups;
  groups.k = static_cast<int32_t>(stats.shape(1));
  groups.missing = missing;
  std::vector<double> sums(stats.shape(1), 0.0);
  double weight = 0;
  for (size_t g = 0; g < stats.shape(0); ++g) {
    double* s = groups.push(static_cast<int32_t>(g));
    for (size_t c = 0; c < stats.shape(1); ++c) {
      s[c] = stats(g, c);
      if (!(s[c] >= 0 && std::isfinite(s[c]))) throw InputError("meetings: a weight below 0");
      sums[c] += s[c];
      groups.weight.back() += s[c];
    }
    if (!(groups.weight.back() > 0)) throw InputError("meetings: a level without weight");
    groups.rows.back() = static_cast<uint32_t>(rows(g));
    weight += groups.weight.back();
  }
  const Rules rules{static_cast<uint32_t>(std::min<int64_t>(min_rows_leaf, row_of)),
                    Categories::merged, merge_p, 1};
  const Parts parts = merge_groups({sums.data(), groups.k, weight, 0}, groups, rules, ordered, {});
  nb::list out;
  for (const Meeting& m : parts.meetings)
    out.append(nb::make_tuple(m.one, m.other, std::exp(m.log_p), static_cast<int>(m.outcome)));
  return out;
}

double py_log_ways(int64_t levels, int64_t groups, bool ordered, bool missing) {
  if (groups < 2 || levels < groups) throw InputError("log_ways: from 2 groups to all levels");
  return log_ways_merged(levels, groups, ordered, missing);
}

}  // namespace
}  // namespace bough

NB_MODULE(_core, m) {
  using namespace bough;
  m.doc() = "The hot core of bough: arrays in, arrays out.";
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const InputError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  m.def("grow", &py_grow, "columns"_a, "target"_a, "n_classes"_a, "weights"_a.none(), "options"_a,
        "costs"_a.none(), "test_costs"_a.none(), "progress"_a.none(),
        "codes"_a.none() = nb::none());
  nb::class_<KeptCodes>(m, "Codes", "The codes of a table, kept for several trees.");
  m.def("encode", &py_encode, "columns"_a, "n_rows"_a, "threads"_a);
  m.def("take_codes", &py_take_codes, "codes"_a, "rows"_a, "threads"_a);
  m.def("apply", &py_apply, "columns"_a, "n_rows"_a, "strict"_a, "first_child"_a, "n_children"_a,
        "column"_a, "split_kind"_a, "threshold"_a, "levels_at"_a, "levels"_a, "level_child"_a,
        "unseen_to"_a, "missing_to"_a, "surrogates"_a.none(), "start"_a.none(), "threads"_a);
  m.def("limits", &py_limits, "array"_a);
  m.def("read_arrow", &py_read_arrow, "stream"_a);
  m.def("impurity", &py_impurity, "criterion"_a, "stats"_a, "costs"_a.none() = nb::none());
  m.def("gain", &py_gain, "criterion"_a, "children"_a, "costs"_a.none() = nb::none());
  m.def("weigh", &py_weigh, "rule"_a, "criterion"_a, "gain"_a, "impurity"_a, "weight"_a, "price"_a);
  m.def("chi2_p", &chi2_p, "statistic"_a, "df"_a);
  m.def("meetings", &py_meetings, "stats"_a, "rows"_a, "ordered"_a, "missing"_a, "merge_p"_a,
        "min_rows_leaf"_a);
  m.def("log_ways", &py_log_ways, "levels"_a, "groups"_a, "ordered"_a, "missing"_a);
  m.def("criteria", [] {
    std::vector<std::string> names;
    for (const Criterion& c : criteria) names.emplace_back(c.name);
    return names;
  });
}
