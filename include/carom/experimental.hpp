// The experimental part of carom: gradients, collisions of mechanisms and the permissible region of impulses.
//
// These interfaces may change in any minor version until 1.0 (README.md#what-is-promised). carom.hpp has the part that
// becomes stable with version 0.2.
#pragma once

#include <carom/body_gradients.hpp>
#include <carom/gradients.hpp>
#include <carom/mechanism.hpp>
#include <carom/region.hpp>
