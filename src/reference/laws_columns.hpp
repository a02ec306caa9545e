// The law of a contact, and those of its parameters that the law reads.
#pragma once

#include <carom/reference.hpp>
#include <cstddef>

namespace carom::reference {

struct LawOfContact {
  Law law = Law::incremental;
  LawParameters parameters;  ///< the candidate impulse in the frame of the results
  Status fault = Status::ok;
};

LawOfContact read_law(const LawColumns<double>& columns, std::size_t i, const Options& options);

}  // namespace carom::reference
