# The tests of SceneSolver, for the program that holds those of scenes; allocations are counted in a program of their own.
set(carom_scene_solver_tests
  bits_test.cpp
  faults_test.cpp
  incline_test.cpp
  invariants_test.cpp
  known_answers_test.cpp
  misuse_test.cpp
  planar_scene_test.cpp
  reference_agreement_test.cpp
  stack_test.cpp
  warm_start_test.cpp)
set(carom_scene_allocation_tests allocation_test.cpp)
