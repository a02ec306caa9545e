#include <carom/memory.hpp>
#include <cstdlib>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "held_memory.hpp"

namespace carom {
namespace {

constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;

bool is_large(std::size_t bytes) {
  return bytes >= 2 * large_page;
}
std::size_t alignment_of(std::size_t bytes) {
  return is_large(bytes) ? large_page : line;
}

}  // namespace

std::size_t size_of_large(std::size_t bytes) noexcept {
  const std::size_t alignment = alignment_of(bytes);
  return bytes > 0 ? (bytes + alignment - 1) / alignment * alignment : alignment;
}

void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  if (bytes > ~std::size_t{0} - alignment) throw std::bad_alloc();
  const std::size_t size = size_of_large(bytes);
  void* const memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (is_large(bytes)) madvise(memory, size, MADV_HUGEPAGE);  // where it is refused small pages do
#endif
  return memory;
}

void free_large(void* memory) noexcept {
  std::free(memory);
}

}  // namespace carom
