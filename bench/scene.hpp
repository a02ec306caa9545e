// Scenes, on the best ISA unless the row is of one contact law:
//   scene/simultaneous/<precision>/<isa>/threads:<t>/pyramid:<n>   a sweep; items are contacts × sweeps
//   scene/setup/<precision>/<isa>/threads:<t>/pyramid:<n>          a call without its 10 sweeps
//   scene/call/<precision>/<isa>/threads:<t>/<scene>:<n>           a call with 10 sweeps; items are contacts
//   scene/small/<precision>/<isa>/threads:<t>/<scene>:<boxes>      the same at rest, with keys, the graph kept
//   scene/sequence/<law>/<precision>/<isa>/threads:<t>/islands:1000x10
//   scene/sequence/<law>/<precision>/<isa>/threads:<t>/<plate>:<n> n contacts of one body
//   scene/sequential_impacts_reference/<law>/f64/islands:1000x10
//   scene/islands/<precision>/<isa>/threads:<t>/<islands>          islands of 2 to 8 contacts, 10 sweeps
#pragma once

namespace carom::bench {

void register_scenes(int max_threads);

}  // namespace carom::bench
