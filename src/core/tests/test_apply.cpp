#include "../apply.hpp"

#include "../criteria/registry.hpp"
#include "check.hpp"
#include "trees.hpp"

namespace bough::test {
namespace {

// A tree by hand. Column 0: number; column 1: category of 4 levels.
//
//   0: number ≤ 2.5 ?             (missing → 2)
//   ├ 1: level  0 → 4 · 2 → 5     (not seen → 6, missing → 5)
//   ├ 2: leaf
//   └ 3: leaf
struct ByHand {
  Grown tree;
  std::vector<double> numbers{1, 1, 1, 1, 1, 3, nan, 2.5};
  std::vector<int32_t> codes{0, 2, 1, -1, -2, 0, 0, 3};
  std::vector<Column> columns{column_of(numbers), column_of(codes, Kind::category, 4)};

  ByHand() {
    tree.first_child = {1, 4, -1, -1, -1, -1, -1};
    tree.n_children = {3, 3, 0, 0, 0, 0, 0};
    tree.parent = {-1, 0, 0, 0, 1, 1, 1};
    tree.column = {0, 1, -1, -1, -1, -1, -1};
    tree.split_kind = {1, 3, 0, 0, 0, 0, 0};
    tree.threshold = {2.5, nan, nan, nan, nan, nan, nan};
    tree.levels_at = {0, 0, 2, 2, 2, 2, 2, 2};
    tree.levels = {0, 2};
    tree.level_child = {0, 1};
    tree.unseen_to = {-1, 2, -1, -1, -1, -1, -1};
    tree.missing_to = {2, 1, -1, -1, -1, -1, -1};
  }
  std::vector<int32_t> leaves(bool strict = false, int threads = 1) const {
    std::vector<int32_t> leaf(numbers.size(), 0);
    apply(view_of(tree, strict), columns, leaf.size(), threads, nullptr, leaf.data());
    return leaf;
  }
  void refused(const char* text) const { CHECK_THROWS(InputError, leaves(), text); }
};

void rows_reach_their_leaves() {
  const ByHand good;
  CHECK(good.leaves() == (std::vector<int32_t>{4, 5, 6, 5, 5, 2, 3, 6}));
  CHECK(good.leaves(true) == (std::vector<int32_t>{4, 5, 6, 5, 5, 2, 3, 2}));
  ByHand unseen;  // a level the node has not seen travels like a missing cell
  unseen.tree.unseen_to[1] = -1;
  CHECK(unseen.leaves() == (std::vector<int32_t>{4, 5, 5, 5, 5, 2, 3, 5}));
}

void a_lone_leaf_takes_all_rows() {
  ByHand good;
  good.tree.first_child = {-1};
  good.tree.n_children = {0};
  good.tree.parent = {-1};
  good.tree.column = {-1};
  good.tree.split_kind = {0};
  good.tree.threshold = {nan};
  good.tree.levels_at = {0, 0};
  good.tree.unseen_to = {-1};
  good.tree.missing_to = {-1};
  CHECK(good.leaves() == std::vector<int32_t>(8, 0));
}

void infinity_asks_whether_the_cell_is_known() {
  ByHand good;
  good.tree.threshold[0] = infinity;
  CHECK(good.leaves() == (std::vector<int32_t>{4, 5, 6, 5, 5, 4, 3, 6}));
}

void many_rows_and_threads_give_the_same() {
  ByHand good;
  const std::vector<int32_t> few = good.leaves();
  const size_t n = 100'001;
  std::vector<double> numbers(n);
  std::vector<int32_t> codes(n);
  for (size_t i = 0; i < n; ++i) {
    numbers[i] = good.numbers[i % 8];
    codes[i] = good.codes[i % 8];
  }
  good.numbers = numbers;
  good.codes = codes;
  good.columns = {column_of(good.numbers), column_of(good.codes, Kind::category, 4)};
  for (int threads : {1, 2, 8}) {
    const std::vector<int32_t> leaf = good.leaves(false, threads);
    bool same = true;
    for (size_t i = 0; i < n; ++i) same &= leaf[i] == few[i % 8];
    CHECK(same);
  }
}

void no_rows_is_no_work() {
  const ByHand good;
  apply(view_of(good.tree), good.columns, 0, 4, nullptr, nullptr);
  CHECK(true);
}

void a_long_chain_is_walked() {
  ByHand chain;
  Grown& t = chain.tree;
  constexpr int32_t questions = 200'000;
  const size_t n = 2 * questions + 1;
  t.first_child.assign(n, -1);
  t.n_children.assign(n, 0);
  t.split_kind.assign(n, 0);
  t.column.assign(n, 0);
  t.threshold.assign(n, 2.5);
  t.levels_at.assign(n + 1, 0);
  t.unseen_to.assign(n, -1);
  t.missing_to.assign(n, 0);
  for (int32_t q = 0; q < questions; ++q) {  // node 2q, whose left child 2q+1 is a leaf
    const auto i = static_cast<size_t>(2 * q);
    t.first_child[i] = 2 * q + 1;
    t.n_children[i] = 2;
    t.split_kind[i] = 1;
  }
  t.parent.assign(n, -1);
  t.levels.clear();
  t.level_child.clear();
  const auto leaf = chain.leaves();
  CHECK_SAME(leaf[0], 1);
  CHECK_SAME(leaf[5], static_cast<int32_t>(n - 1));  // 3 > 2.5 goes right to the very end
}

// ---- hostile trees: one place spoiled each
// -------------------------------------------------------

struct Spoiled {
  const char* why;
  void (*spoil)(ByHand&);
};

constexpr int32_t int_max = std::numeric_limits<int32_t>::max();
constexpr int32_t int_min = std::numeric_limits<int32_t>::min();

constexpr Spoiled spoiled[] = {
    {"node 2: a leaf with children", [](ByHand& b) { b.tree.n_children[2] = 1; }},
    {"node 2: a leaf with children", [](ByHand& b) { b.tree.n_children[2] = -1; }},
    {"node 0: unknown kind of split", [](ByHand& b) { b.tree.split_kind[0] = 4; }},
    {"node 0: unknown kind of split", [](ByHand& b) { b.tree.split_kind[0] = 255; }},
    {"node 0: children out of range", [](ByHand& b) { b.tree.first_child[0] = 0; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.first_child[1] = 1; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.first_child[1] = 0; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.first_child[1] = -1; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.first_child[1] = int_min; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.first_child[1] = 5; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.first_child[1] = int_max; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.n_children[1] = 0; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.n_children[1] = int_min; }},
    {"node 1: children out of range", [](ByHand& b) { b.tree.n_children[1] = int_max; }},
    {"node 0: missing_to out of range", [](ByHand& b) { b.tree.missing_to[0] = -1; }},
    {"node 0: missing_to out of range", [](ByHand& b) { b.tree.missing_to[0] = 3; }},
    {"node 1: unseen_to out of range", [](ByHand& b) { b.tree.unseen_to[1] = 3; }},
    {"node 0: column out of range", [](ByHand& b) { b.tree.column[0] = 2; }},
    {"node 0: column out of range", [](ByHand& b) { b.tree.column[0] = -1; }},
    {"node 0: column out of range", [](ByHand& b) { b.tree.column[0] = int_min; }},
    {"node 0: the kind of split does not fit", [](ByHand& b) { b.tree.column[0] = 1; }},
    {"node 1: the kind of split does not fit", [](ByHand& b) { b.tree.column[1] = 0; }},
    {"node 0: the kind of split does not fit", [](ByHand& b) { b.tree.split_kind[0] = 2; }},
    {"node 0: a threshold with one child",
     [](ByHand& b) { b.tree.n_children[0] = 1, b.tree.missing_to[0] = 0; }},
    {"node 0: levels out of range", [](ByHand& b) { b.tree.levels_at[0] = -1; }},
    {"node 0: levels out of range", [](ByHand& b) { b.tree.levels_at[1] = 3; }},
    {"node 1: levels out of range", [](ByHand& b) { b.tree.levels_at[2] = -5; }},
    {"node 1: levels out of range",
     [](ByHand& b) { b.tree.levels_at[2] = std::numeric_limits<int64_t>::max(); }},
    {"node 1: levels not rising", [](ByHand& b) { b.tree.levels = {2, 0}; }},
    {"node 1: levels not rising", [](ByHand& b) { b.tree.levels = {2, 2}; }},
    {"node 1: child of a level out of range", [](ByHand& b) { b.tree.level_child[0] = -1; }},
    {"node 1: child of a level out of range", [](ByHand& b) { b.tree.level_child[1] = 3; }},
    {"node 6: child of a level out of range",
     [](ByHand& b) {
       b.tree.levels_at[7] = 3;  // a leaf has no levels
       b.tree.levels.push_back(3);
       b.tree.level_child.push_back(0);
     }},
};

void hostile_trees_are_refused() {
  for (const Spoiled& s : spoiled) {
    ByHand bad;
    s.spoil(bad);
    bad.refused(s.why);
  }
  TreeView empty;
  int32_t leaf = 0;
  CHECK_THROWS(InputError, apply(empty, {}, 1, 1, nullptr, &leaf), "a tree without nodes");
}

// Bytes at random over a good tree: refused or walked to some node, never a wild read.
void random_damage_is_survived() {
  Random random(25);
  int walked = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    ByHand bad;
    Grown& t = bad.tree;
    for (uint32_t times = 1 + random.below(2); times > 0; --times) {
      const size_t node = random.below(7);
      const auto value = static_cast<int32_t>(random.below(12)) - 3;
      switch (random.below(8)) {
        case 0: t.first_child[node] = value; break;
        case 1: t.n_children[node] = value; break;
        case 2: t.column[node] = value; break;
        case 3: t.split_kind[node] = static_cast<uint8_t>(value); break;
        case 4: t.levels_at[random.below(7)] = value; break;  // the last is the caller's length
        case 5: t.level_child[random.below(2)] = static_cast<int16_t>(value); break;
        case 6: t.unseen_to[node] = static_cast<int16_t>(value); break;
        case 7: t.missing_to[node] = static_cast<int16_t>(value); break;
      }
    }
    try {
      for (int32_t leaf : bad.leaves()) CHECK(leaf >= 0 && leaf < 7);
      ++walked;
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(walked > 1000);
  CHECK(refused > 1000);
}

constexpr Test tests[] = {
    {"apply: rows reach their leaves", &rows_reach_their_leaves},
    {"apply: a lone leaf takes all rows", &a_lone_leaf_takes_all_rows},
    {"apply: infinity asks whether the cell is known", &infinity_asks_whether_the_cell_is_known},
    {"apply: many rows and threads give the same", &many_rows_and_threads_give_the_same},
    {"apply: no rows is no work", &no_rows_is_no_work},
    {"apply: a long chain is walked", &a_long_chain_is_walked},
    {"apply: hostile trees are refused", &hostile_trees_are_refused},
    {"apply: random damage is survived", &random_damage_is_survived},
};

}  // namespace

Suite apply_tests() { return tests; }

}  // namespace bough::test
