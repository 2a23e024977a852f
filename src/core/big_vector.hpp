// Vectors of the size of the table. Their memory comes in large pages where the system has them:
// far fewer pages to ask for, and to look up when rows are read here and there. Elements that are
// not given a value have none.
#pragma once

#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bough {

template <class T>
struct BigAllocator {
  using value_type = T;
  static constexpr size_t page = size_t{1} << 21, least = 2 * page;

  BigAllocator() = default;
  template <class Other>
  BigAllocator(const BigAllocator<Other>&) {}

  T* allocate(size_t n) {
    if (n > static_cast<size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    const size_t bytes = n * sizeof(T), rounded = (bytes + page - 1) / page * page;
    void* memory = bytes < least ? std::malloc(bytes) : std::aligned_alloc(page, rounded);
    if (!memory && bytes > 0) throw std::bad_alloc();
#if defined(__linux__)
    if (bytes >= least) madvise(memory, rounded, MADV_HUGEPAGE);  // a wish, no more
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { std::free(memory); }

  template <class U, class... Given>
  void construct(U* at, Given&&... given) {
    if constexpr (sizeof...(Given) == 0) ::new (static_cast<void*>(at)) U;
    else ::new (static_cast<void*>(at)) U(std::forward<Given>(given)...);
  }
  bool operator==(const BigAllocator&) const { return true; }
};

template <class T>
using BigVector = std::vector<T, BigAllocator<T>>;

}  // namespace bough
