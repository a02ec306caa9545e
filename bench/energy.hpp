// The law gives back no more than it has taken: the energy that rounding adds, over ten million collisions.
#pragma once

namespace carom::bench {

void register_energy();

}  // namespace carom::bench
