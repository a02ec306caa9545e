// A stack of boxes falls by 0.1 m onto the floor and comes to rest.
#include <carom/carom.h>
#include <stdio.h>

enum { boxes = 5, points = 4 * boxes };

struct box {  // a cube of 1 m and 1 kg, whose sides stay along the axes here
  double position[3], velocity[3], spin[3], displacement[3];
};

struct point {  // a corner of a box on the box or the floor below
  double normal[3], r_a[3], r_b[3], separation;
  int32_t body_a, body_b;
  uint64_t key;  // names the point from step to step
};

static void find_points(const struct box* stack, struct point* found) {
  static const double corners[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  for (int i = 0; i < points; ++i) {
    const int a = i / 4, b = a - 1;  // the world is -1
    const double x = corners[i % 4][0], y = corners[i % 4][1], top = b < 0 ? 0 : stack[b].position[2] + 0.5;
    found[i] =
        (struct point){.normal = {0, 0, 1}, .r_a = {x, y, -0.5}, .body_a = a, .body_b = b, .key = (uint64_t)i + 1};
    found[i].separation = stack[a].position[2] - 0.5 - top;
    if (b >= 0) {
      found[i].r_b[0] = stack[a].position[0] + x - stack[b].position[0];
      found[i].r_b[1] = stack[a].position[1] + y - stack[b].position[1];
      found[i].r_b[2] = 0.5;
    }
  }
}

int main(void) {
  const double inverse_mass = 1, inverse_inertia[6] = {6, 0, 0, 6, 0, 6}, friction = 0.5, restitution = 0;
  struct box stack[boxes] = {{{0}, {0}, {0}, {0}}};
  struct point found[points];
  for (int i = 0; i < boxes; ++i) stack[i].position[2] = 0.6 + i;

  const ptrdiff_t box = sizeof(struct box), point = sizeof(struct point);
  const carom_scene_bodies bodies = {
      .struct_size = sizeof bodies,
      .inverse_mass = {&inverse_mass, boxes, 0},
      .inverse_inertia = carom_interleaved_symmetric3(CAROM_DOUBLE, inverse_inertia, boxes, 0),
      .velocity = carom_interleaved3(CAROM_DOUBLE, stack[0].velocity, boxes, box),
      .angular_velocity = carom_interleaved3(CAROM_DOUBLE, stack[0].spin, boxes, box)};
  const carom_scene_contacts contacts = {.struct_size = sizeof contacts,
                                         .friction = {&friction, points, 0},
                                         .restitution = {&restitution, points, 0},
                                         .normal = carom_interleaved3(CAROM_DOUBLE, found[0].normal, points, point),
                                         .r_a = carom_interleaved3(CAROM_DOUBLE, found[0].r_a, points, point),
                                         .r_b = carom_interleaved3(CAROM_DOUBLE, found[0].r_b, points, point),
                                         .body_a = {&found[0].body_a, points, point},
                                         .body_b = {&found[0].body_b, points, point},
                                         .separation = {&found[0].separation, points, point},
                                         .key = {&found[0].key, points, point}};
  const carom_scene scene = {.struct_size = sizeof scene, .bodies = &bodies, .contacts = &contacts};
  const carom_scene_results results = {
      .struct_size = sizeof results,
      .velocity = carom_interleaved_outputs3(CAROM_DOUBLE, stack[0].velocity, boxes, box),
      .angular_velocity = carom_interleaved_outputs3(CAROM_DOUBLE, stack[0].spin, boxes, box),
      .displacement = carom_interleaved_outputs3(CAROM_DOUBLE, stack[0].displacement, boxes, box)};

  carom_scene_options options;  // the default method: substeps
  carom_scene_options_init(&options, sizeof options);
  options.time_step = 1.0 / 60;
  options.gravity[2] = -9.81;

  carom_scene_solver* solver;
  carom_scene_report report = {.struct_size = sizeof report};
  carom_error error = carom_scene_solver_create(NULL, &solver);
  for (int step = 0; !error && step < 120; ++step) {
    find_points(stack, found);
    error = carom_scene_solve(solver, CAROM_DOUBLE, &scene, &results, &options, &report);
    for (int i = 0; i < boxes; ++i)
      for (int k = 0; k < 3; ++k) stack[i].position[k] += stack[i].displacement[k];
  }
  if (error) {
    fprintf(stderr, "%s\n", carom_error_message());
    return 1;
  }
  printf("%zu islands, the top box rests at %.2f m\n", report.islands, stack[boxes - 1].position[2]);
  carom_scene_solver_destroy(solver);
  return 0;
}
