// Scenes, on the best ISA unless the row is of one contact law:
//   scene/pgs/<precision>/<isa>/threads:<t>/<scene>:<n>         an iteration; items are contacts × iterations
//   scene/setup/<precision>/<isa>/threads:<t>/pyramid:<n>       a call without its 10 iterations
//   scene/call/<precision>/<isa>/threads:<t>/<scene>:<n>        a call with 10 iterations; items are contacts
//   scene/again/<precision>/<isa>/threads:<t>/pyramid:<n>       same, the graph kept
//   scene/substeps:<s>/<precision>/<isa>/threads:<t>/pyramid:<n>  at rest, with keys, s substeps
//   scene/small/<precision>/<isa>/threads:<t>/<scene>:<boxes>   10 iterations at rest, with keys, the graph kept
//   scene/sequential_impacts/<law>/<precision>/<isa>/threads:<t>/islands:1000x10
//   scene/sequential_impacts/<law>/<precision>/<isa>/threads:<t>/<plate>:<n>  n contacts of one body
//   scene/sequential_impacts_reference/<law>/f64/islands:1000x10
//   scene/islands/<precision>/<isa>/threads:<t>/<islands>       islands of 2 to 8 contacts, 10 iterations
#pragma once

namespace carom::bench {

void register_scenes(int max_threads);

}  // namespace carom::bench
