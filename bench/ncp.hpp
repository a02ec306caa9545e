// SceneMethod::ncp: cold calls to a stated error.
#pragma once

namespace carom::bench {

void register_ncp();

}  // namespace carom::bench
