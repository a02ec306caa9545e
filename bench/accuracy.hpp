// Cost of accuracy: time and error of Euler's method for increasing numbers of steps, and of the series, which needs no
// number of steps.
#pragma once

namespace carom::bench {

void register_accuracy();

}  // namespace carom::bench
