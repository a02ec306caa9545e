// Whole calls of scenes at rest, as an engine makes them: contacts come from the positions of every step, with keys,
// and the bodies take the motion of the results.
//   scene/rest/<precision>/<isa>/<world>   Time of a call under the default method. Counters: ns_a_point; drift_mm, the
//                                          farthest way of a body while it was timed; moving, calls that were not at
//                                          rest
//   scene/setup/<precision>/<isa>/substeps/<world>  Time of a call in substeps without the substeps
#pragma once

namespace carom::bench {

void register_rest();

}  // namespace carom::bench
