include(CheckCXXCompilerFlag)

set(CAROM_ISAS "" CACHE STRING "ISAs that the library has kernels for, of sse2;scalar_fma;scalar;avx2;avx512;neon; empty: all that are the \
best choice on some CPU; scalar is added where a CPU of the architecture may run none of the others")

# carom_isa(name architecture mark flags...): builds the kernels of one ISA from the files in src/isa/kernels. Only these
# files are compiled with the flags. `architecture` is the ISA's type in src/simd/kernels/lanes. `mark` is a regular
# expression that matches the name of every xsimd symbol of the ISA ("^$": no symbol). Tests read both. List the ISAs from
# the fastest to the slowest. With carom_only_for_tests the kernels are not part of the library; tests and benchmarks link
# them (tests/support).
set(carom_only_for_tests OFF)
set(carom_library_isas "")
function(carom_isa name architecture mark)
  if(CAROM_ISAS AND NOT name STREQUAL "scalar" AND NOT name IN_LIST CAROM_ISAS AND NOT carom_only_for_tests)
    return()
  endif()
  set(kernels carom_${name})
  add_library(${kernels} OBJECT isa/kernels/incremental.cpp isa/kernels/algebraic.cpp isa/kernels/planar.cpp
              isa/kernels/region.cpp isa/kernels/scene_f32.cpp isa/kernels/scene_f64.cpp
              isa/kernels/sweeps_f32.cpp isa/kernels/sweeps_f64.cpp isa/kernels/single_manifold_f32.cpp
              isa/kernels/single_manifold_f64.cpp isa/kernels/gradients.cpp isa/kernels/blocks.cpp)
  carom_options(${kernels})
  target_include_directories(${kernels} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${kernels} SYSTEM PRIVATE $<TARGET_PROPERTY:carom_xsimd,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${kernels} PRIVATE CAROM_ISA=${name} CAROM_ARCHITECTURE=${architecture})
  set_target_properties(${kernels} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ${carom_position_independent})
  # No header of carom's own: g++ gives no warnings for precompiled headers.
  carom_precompile(${kernels} <xsimd/xsimd.hpp>)
  if(carom_only_for_tests)
    set_target_properties(${kernels} PROPERTIES EXCLUDE_FROM_ALL ON)
    set_property(GLOBAL APPEND PROPERTY CAROM_ISAS_FOR_TESTS ${name})
  else()
    target_sources(carom PRIVATE $<TARGET_OBJECTS:${kernels}>)
    set(carom_library_isas ${carom_library_isas} ${name} PARENT_SCOPE)
  endif()
  # Instrumented kernels take minutes to optimise, so the sanitizers cover the wide ISAs only. Under the address
  # sanitizer every checked access is a call, which keeps the code small enough for -O1; without optimisation the tests
  # would run ten times as long. The thread sanitizer covers one ISA and leaves the scalar kernels unoptimised.
  set(sanitized "")
  if(CAROM_SANITIZE AND name MATCHES "^(scalar|scalar_fma|sse2)$")
    set(sanitized -fno-sanitize=all -g0)
    if(CAROM_SANITIZE MATCHES "thread")
      list(APPEND sanitized -O0)
    endif()
  elseif(CAROM_SANITIZE MATCHES "thread" AND NOT name MATCHES "^(avx512|neon)$")
    set(sanitized -fno-sanitize=thread)
  elseif(CAROM_SANITIZE MATCHES "thread")
    set(sanitized -O1)
  elseif(CAROM_SANITIZE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      set(sanitized -O1 "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
    else()
      set(sanitized -O1)
    endif()
    if(CAROM_SANITIZE MATCHES "undefined")
      list(APPEND sanitized -fno-sanitize=undefined)
    endif()
  endif()
  # Of what -O3 of g++ adds, unrolled loops and loops without their constant conditions save instructions. The rest makes
  # kernels a twelfth larger, for at most 2 % fewer instructions.
  set(optimised "")
  if(name MATCHES "^(avx512|avx2|sse2)$")
    set(optimised $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O2;-fpeel-loops;-funswitch-loops;-fsplit-loops>)
  endif()
  # No function of theirs that another file calls has a vector among its parameters.
  target_compile_options(${kernels} PRIVATE ${optimised} -fno-math-errno -Wno-psabi ${ARGN} ${sanitized})
  set_property(GLOBAL APPEND PROPERTY CAROM_ISAS ${name})
  set_property(GLOBAL PROPERTY CAROM_ISA_${name}_ARCHITECTURE ${architecture})
  set_property(GLOBAL PROPERTY CAROM_ISA_${name}_MARK "${mark}")
  set_property(GLOBAL PROPERTY CAROM_ISA_${name}_FLAGS "${ARGN}")
endfunction()

set(scalar_flags "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i[3-6]86")
  # g++ 12 warns about operands that its own header leaves undefined on purpose.
  carom_isa(avx512 Avx512 "avx512" -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma
            -Wno-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # By default g++ 12 copies structs of vectors in pieces of 16 bytes. A vector read from two pieces then stalls until
  # both have left the store buffer.
  check_cxx_compiler_flag(-mmove-max=256 CAROM_HAS_MOVE_MAX)
  set(whole_vectors "")
  if(CAROM_HAS_MOVE_MAX)
    set(whole_vectors -mmove-max=256 -mstore-max=256)
  endif()
  carom_isa(avx2 Avx2 "xsimd::avx" -mavx2 -mfma ${whole_vectors})
  carom_isa(sse2 Sse2 "xsimd::sse2" -msse2 -DCAROM_UNFUSED)
  # Every x86-64 runs SSE2, so no CPU needs a scalar kernel. Tests compare the other ISAs with it.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND TARGET carom_sse2 AND NOT CAROM_ISAS MATCHES "scalar")
    set(carom_only_for_tests ON)
  endif()
  # The scalar kernel with FMA: without -mfma every fused multiply-add is a call into the C library.
  if(NOT carom_only_for_tests OR CAROM_BUILD_TESTS OR CAROM_BUILD_BENCHMARKS)
    carom_isa(scalar_fma Scalar "^$" -mfma)
  endif()
  # The other scalar kernel is for CPUs without FMA. The library calls dominate its time, so it is optimised for size.
  set(scalar_flags $<$<CONFIG:Release>:-Os>)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  carom_isa(neon Neon "")  # part of the baseline
endif()
# A build with SSE2 and scalar_fma does without scalar on x86-64. The sanitizers need a machine with FMA.
if(NOT carom_only_for_tests AND (NOT TARGET carom_scalar_fma OR scalar IN_LIST CAROM_ISAS OR
   NOT (CAROM_SANITIZE OR (TARGET carom_sse2 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"))))
  carom_isa(scalar Scalar "" ${scalar_flags})
endif()

# carom_isa_table(isas...): defines the table of isa/dispatch.cpp for targets of the current folder.
function(carom_isa_table)
  list(TRANSFORM ARGN REPLACE "(.+)" "CAROM_WITH(\\1)")
  list(JOIN ARGN "" table)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/isa/dispatch.cpp PROPERTIES COMPILE_DEFINITIONS
                              "CAROM_BUILT_ISAS=${table}")
endfunction()
carom_isa_table(${carom_library_isas})

# All objects of the library, for packages.
set(objects $<TARGET_OBJECTS:carom>)
foreach(isa IN LISTS carom_library_isas)
  list(APPEND objects $<TARGET_OBJECTS:carom_${isa}>)
endforeach()
set_property(GLOBAL PROPERTY CAROM_OBJECTS ${objects})
