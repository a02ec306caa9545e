// What accuracy costs: time and error of Euler's method with ever more steps, and of the series, which has none to
// choose.
#pragma once

namespace carom::bench {

void register_accuracy();

}  // namespace carom::bench
