#include <carom/carom.h>
#include <stdio.h>

struct hit {  // your engine's own struct: one body against the floor
  float inverse_mass, inverse_inertia[6], velocity[3], spin[3], arm[3], normal[3], impulse[3];
};

int main(void) {
  struct hit hits[2];
  for (int i = 0; i < 2; ++i)
    hits[i] = (struct hit){1, {6, 0, 0, 6, 0, 6}, {3, 0, -2}, {0, 0, 0}, {0.3f, 0.2f, -0.5f}, {0, 0, 1}, {0}};
  const float friction = 0.4f, restitution = 0.5f;
  const size_t n = 2;
  const ptrdiff_t stride = sizeof(struct hit);

  const carom_contacts contacts = {
      .struct_size = sizeof contacts,
      .friction = {&friction, n, 0},  // one value for all
      .restitution = {&restitution, n, 0},
      .normal = carom_interleaved3(CAROM_FLOAT, hits[0].normal, n, stride),
      .r_a = carom_interleaved3(CAROM_FLOAT, hits[0].arm, n, stride),
      .r_b = carom_interleaved3(CAROM_FLOAT, hits[0].arm, n, stride),
      .a = {.inverse_mass = {&hits[0].inverse_mass, n, stride},
            .inverse_inertia = carom_interleaved_symmetric3(CAROM_FLOAT, hits[0].inverse_inertia, n, stride),
            .velocity = carom_interleaved3(CAROM_FLOAT, hits[0].velocity, n, stride),
            .angular_velocity = carom_interleaved3(CAROM_FLOAT, hits[0].spin, n, stride)},
      .b = carom_immovable(n)};
  const carom_results results = {
      .struct_size = sizeof results,
      .impulse = carom_interleaved_outputs3(CAROM_FLOAT, hits[0].impulse, n, stride),
      .velocity_a = carom_interleaved_outputs3(CAROM_FLOAT, hits[0].velocity, n, stride),  // in place
      .angular_velocity_a = carom_interleaved_outputs3(CAROM_FLOAT, hits[0].spin, n, stride)};

  carom_solver* solver;  // all cores, the best instruction set; keep it for the next batch
  carom_report report = {.struct_size = sizeof report};
  if (carom_solver_create(NULL, &solver) || carom_solve(solver, CAROM_FLOAT, &contacts, &results, NULL, &report)) {
    fprintf(stderr, "%s\n", carom_error_message());
    return 1;
  }
  printf("%zu resolved, impulse (%.3f, %.3f, %.3f) N s\n", report.by_status[CAROM_STATUS_OK], hits[0].impulse[0],
         hits[0].impulse[1], hits[0].impulse[2]);
  carom_solver_destroy(solver);
  return 0;
}
