// carom in C99: impulses of contacts between rigid bodies. docs/c.md is the introduction; examples/c has programs.
//
// Conventions
// - SI units. Vectors are in the world frame unless a comment says otherwise.
// - The unit normal n of a contact points from body B to body A. The impulse p acts on A, and -p acts on B.
// - r_a and r_b are offsets: the contact point minus the centre of mass of A, or of B.
// - u = vA + wA × r_a - vB - wB × r_b is the separation velocity. u·n < 0: the bodies approach.
// - separation < 0: the bodies overlap. separation > 0: a gap.
// - An immovable body has the inverse mass 0 and the inverse inertia 0. The index -1 is the immovable world.
//
// Columns
// - Columns refer to your arrays. Element i has the address data + i * stride, in bytes. A stride of 0 repeats the
//   first element of an input; `count` is still the number of elements. A column whose members are all zero is absent.
//   If all columns are absent, there are no contacts.
// - Numbers of columns are float or double, by the argument `precision` of the call. Indices and counts are int32_t,
//   keys uint64_t, enumerations uint8_t, paths carom_path.
// - All columns of contacts have the same length, and so have all columns of bodies and all columns of joint rows. A
//   result column is as long as the contacts, bodies or rows that it belongs to. Columns are required unless they are
//   optional.
//
// Structs
// - Structs that may grow in later versions begin with struct_size: set it to sizeof of the struct, also in reports and
//   other structs that carom writes. A newer library uses defaults for fields that an older program does not have. An
//   older library accepts a larger struct if the fields that it does not know are zero.
// - Structs of options and methods, carom_position_correction and carom_joint_row have an init function, which sets
//   struct_size, if there is one, and the defaults. Set all other structs to zero first; carom_execution too, whose
//   defaults are 0. Structs that a struct points to must live during the call.
//
// Memory
// - You own all structs and arrays that you pass. carom reads them during the call and keeps no pointer to them, except
//   in carom_blocked_contacts_set_laws and carom_mechanisms_create.
// - A create function makes an object that you own; the destroy function of its type frees it and accepts NULL.
// - Texts belong to carom. Do not free them.
//
// Errors
// - Functions return a carom_error, which is 0 (CAROM_OK) for success. carom_error_message() returns the message of the
//   calling thread's last error. No exception leaves a function.
// - After an error no result has been written, except after CAROM_ERROR_SCHEDULER, when all results have been written.
//   Solvers remain usable. A create function sets the pointer to NULL.
// - Faulty data of a contact or a joint row are not an error of the call. The contact or row gets a carom_status and no
//   impulse, and all others are solved. Check `ok` of the report.
//
// Threads
// - A solver serves one call at a time; a second one meanwhile returns CAROM_ERROR_BUSY. Different solvers may run at
//   once. Results do not depend on threads.
//
// Two contacts, each of a body with the immovable world (examples/c/contacts.c is a whole program):
//
//     struct hit {
//       double inverse_mass, inverse_inertia[6], velocity[3], spin[3], r[3], normal[3], impulse[3];
//     } hits[2];  // filled by you
//     const ptrdiff_t hit = sizeof hits[0];
//     const double friction = 0.4, restitution = 0.5;
//     carom_contacts contacts = {.struct_size = sizeof contacts};
//     contacts.friction = (carom_column){&friction, 2, 0};
//     contacts.restitution = (carom_column){&restitution, 2, 0};
//     contacts.normal = carom_interleaved3(CAROM_DOUBLE, hits[0].normal, 2, hit);
//     contacts.r_a = carom_interleaved3(CAROM_DOUBLE, hits[0].r, 2, hit);
//     contacts.a.inverse_mass = (carom_column){&hits[0].inverse_mass, 2, hit};
//     contacts.a.inverse_inertia = carom_interleaved_symmetric3(CAROM_DOUBLE, hits[0].inverse_inertia, 2, hit);
//     contacts.a.velocity = carom_interleaved3(CAROM_DOUBLE, hits[0].velocity, 2, hit);
//     contacts.a.angular_velocity = carom_interleaved3(CAROM_DOUBLE, hits[0].spin, 2, hit);
//     carom_results results = {.struct_size = sizeof results};
//     results.impulse = carom_interleaved_outputs3(CAROM_DOUBLE, hits[0].impulse, 2, hit);
//     carom_report report = {.struct_size = sizeof report};
//     carom_solver* solver;
//     if (carom_solver_create(NULL, &solver) ||
//         carom_solve(solver, CAROM_DOUBLE, &contacts, &results, NULL, &report))
//       puts(carom_error_message());
//     else if (!report.ok)
//       puts("a contact has faulty data: report.by_status counts the contacts with each status");
//     carom_solver_destroy(solver);
//
// c/scene.h has scenes: many contacts and joints between many bodies, solved together for a step.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>
#include <carom/c/gradients.h>
#include <carom/c/joints.h>
#include <carom/c/laws.h>
#include <carom/c/mechanism.h>
#include <carom/c/region.h>
#include <carom/c/scene.h>
#include <carom/c/solver.h>
#include <carom/c/system.h>

#include <carom/version.hpp>
