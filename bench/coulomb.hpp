// SceneMethod::coulomb: cold calls to a stated error.
#pragma once

namespace carom::bench {

void register_coulomb();

}  // namespace carom::bench
