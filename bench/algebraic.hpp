// The laws without a course: resolve/<law>/<precision>/<isa>/<form>/threads:<t>/contacts:<n>.
#pragma once

namespace carom::bench {

void register_algebraic(int max_threads);

}  // namespace carom::bench
