#include <carom/memory.hpp>
#include <cstdlib>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace carom {
namespace {

constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;

}  // namespace

void* allocate_large(std::size_t bytes) {
  const bool large = bytes >= 2 * large_page;
  const std::size_t alignment = large ? large_page : line;
  if (bytes > ~std::size_t{0} - alignment) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);  // where it is refused small pages do
#endif
  return memory;
}

void free_large(void* memory) noexcept {
  std::free(memory);
}

}  // namespace carom
