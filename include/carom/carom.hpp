// All of carom's C++ interface.
#pragma once

#include <carom/contacts.hpp>
#include <carom/laws.hpp>
#include <carom/reference.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
