// Groups contacts into manifolds and rows into groups. The members of a group belong to one pair of bodies and are
// consecutive among the sound contacts or rows of that pair; contacts of other pairs may be between them. So grouping
// does not depend on other islands or on faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/jobs/scene_job.hpp"
#include "core/support/array.hpp"

namespace carom::scene {

using kernel::Constraint;

/// Tests whether two contacts of a pair may be in one manifold.
struct Links {
  /// for contact i: whether contacts i - 1 and i have the same pair and may be in one manifold; null: all contacts of a
  /// pair may
  const std::uint8_t* to_previous = nullptr;
  bool (*test)(const void* context, std::size_t i, std::size_t j) = nullptr;  ///< of any two
  const void* context = nullptr;

  bool between(std::size_t i, std::size_t j) const {
    if (to_previous == nullptr) return true;
    return i + 1 == j ? to_previous[j] != 0 : test(context, i, j);
  }
};

class Grouping {
 public:
  /// Up to `most` go into each of `to`; `fault` is 0 of the sound ones of `count`.
  void collect(Array<Constraint>& to, std::size_t count, std::size_t most, const std::int32_t* body_a,
               const std::int32_t* body_b, const std::uint8_t* fault, const Links& links);

  /// The contact or row at a place, see kernel::number_at; null where places are the numbers.
  const std::uint32_t* at() const { return is_hashed_ ? at_.data() : nullptr; }

 private:
  /// Only consecutive contacts. Returns true if a pair may occur again later.
  bool collect_neighbours(Array<Constraint>& to, std::size_t count, std::size_t most, const std::int32_t* body_a,
                          const std::int32_t* body_b, const std::uint8_t* fault, const Links& links) const;
  bool has_pair_twice(const Array<Constraint>& of);
  void collect_all(Array<Constraint>& to, std::size_t count, std::size_t most, const std::int32_t* body_a,
                   const std::int32_t* body_b, const std::uint8_t* fault, const Links& links);
  std::uint32_t& latest_of(const Array<Constraint>& of, std::int32_t body_a, std::int32_t body_b);
  void make_room(const Array<Constraint>& of);
  void arrange(Array<Constraint>& to, std::size_t count, const std::uint8_t* fault);

  Array<std::uint64_t> filter_;
  Array<std::uint32_t> suspects_;  // manifolds whose pairs share a bit of the filter with earlier ones
  Array<std::uint32_t> table_;     // the latest manifold of each pair, by open addresses, at most half full
  Array<std::uint32_t> manifold_;  // of every contact
  Array<std::uint32_t> last_;      // contact of every manifold
  Array<std::uint32_t> at_;
  bool is_hashed_ = false;
};

}  // namespace carom::scene
