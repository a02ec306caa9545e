// All of the library carom::carom. The scalar reference, carom::reference, has headers of its own.
#pragma once

#include <carom/blocked.hpp>
#include <carom/body_gradients.hpp>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/gradients.hpp>
#include <carom/gyroscopic.hpp>
#include <carom/joints.hpp>
#include <carom/law_info.hpp>
#include <carom/laws.hpp>
#include <carom/mechanism.hpp>
#include <carom/memory.hpp>
#include <carom/planar.hpp>
#include <carom/region.hpp>
#include <carom/scene.hpp>
#include <carom/scene_options.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
#include <carom/system.hpp>
#include <carom/version.hpp>
