// Energy gain by rounding errors, over ten million collisions. The exact law gains no energy.
#pragma once

namespace carom::bench {

void register_energy();

}  // namespace carom::bench
