// Gradients: gradients/<law>/<what>/<precision>/<isa>/space/threads:1/contacts:<n>.
#pragma once

namespace carom::bench {

void register_gradients();

}  // namespace carom::bench
