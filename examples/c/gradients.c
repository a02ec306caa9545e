#include <carom/carom.h>
#include <stdio.h>
#include <stdlib.h>

static void check(carom_error error) {
  if (error == CAROM_OK) return;
  fprintf(stderr, "%s\n", carom_error_message());
  exit(1);
}

/* A ball with K = 2 1/kg falls on a floor at 3 m/s: how its impulse changes with the restitution and with the velocity,
   and how far that impulse is from pulling. */
int main(void) {
  const double k = 2, zero = 0, approach = -3, friction = 0.4, restitution = 0.5;
  const carom_column none = {&zero, 1, 0}, diagonal = {&k, 1, 0};
  const carom_k_contacts contacts = {.struct_size = sizeof contacts,
                                     .friction = {&friction, 1, 0},
                                     .restitution = {&restitution, 1, 0},
                                     .k = {diagonal, none, none, diagonal, none, diagonal},
                                     .separation_velocity = {none, none, {&approach, 1, 0}}};
  carom_options options;
  carom_options_init(&options, sizeof options);
  options.law = CAROM_LAW_NO_SLIP;
  carom_solver* solver;
  check(carom_solver_create(NULL, &solver));

  double impulse[3], by_restitution, by_velocity, tension;
  const carom_results results = {.struct_size = sizeof results,
                                 .impulse = carom_interleaved_outputs3(CAROM_DOUBLE, impulse, 1, sizeof impulse)};
  check(carom_solve_k(solver, CAROM_DOUBLE, &contacts, &results, &options, NULL));

  const carom_derivatives of_impulse_z = {.struct_size = sizeof of_impulse_z,
                                          .restitution = {&by_restitution, 1, sizeof(double)},
                                          .separation_velocity = {.z = {&by_velocity, 1, sizeof(double)}}};
  const carom_gradients gradients = {.struct_size = sizeof gradients, .impulse_z = &of_impulse_z};
  carom_gradient_report report = {.struct_size = sizeof report};
  check(carom_differentiate(solver, CAROM_DOUBLE, &contacts, &gradients, &options, CAROM_DEFAULT_TOLERANCE, &report));

  const carom_region_margins margins = {.struct_size = sizeof margins, .tension = {&tension, 1, sizeof(double)}};
  const carom_vectors3 read = carom_interleaved3(CAROM_DOUBLE, impulse, 1, sizeof impulse);
  check(carom_find_margins_k(solver, CAROM_DOUBLE, &contacts, &read, &margins, NULL, NULL, CAROM_DEFAULT_TOLERANCE,
                             NULL));
  carom_law_info law = {.struct_size = sizeof law};
  check(carom_law_info_of(options.law, &law));

  printf("%s, after %s: %.2f N s, %+.2f N s by e, %+.2f kg by u0; %.2f N s from pulling\n", carom_law_name(options.law),
         law.source, impulse[2], by_restitution, by_velocity, tension);
  carom_solver_destroy(solver);
  return report.by_status[CAROM_GRADIENT_EXACT] == 1 ? 0 : 1;
}
