set(CAROM_ISAS "" CACHE STRING "ISAs to build kernels for beside the scalar one, of sse2;avx2;avx512;neon; empty: all")

# carom_isa(name architecture mark flags...): the kernels of one ISA, src/isa/<name>.cpp, <name>_algebraic.cpp,
# <name>_planar.cpp and <name>_region.cpp, the only files that are compiled with these flags. `architecture` is its type in
# src/kernel/lanes.hpp, `mark` what stands in the name of every symbol of xsimd's that belongs to it ("^$": none does); both
# serve the tests.
function(carom_isa name architecture mark)
  if(CAROM_ISAS AND NOT name MATCHES "^scalar" AND NOT name IN_LIST CAROM_ISAS)
    return()
  endif()
  set(units isa/${name}.cpp isa/${name}_algebraic.cpp isa/${name}_planar.cpp isa/${name}_region.cpp)
  target_sources(carom PRIVATE ${units})
  # The kernels are one long text, which takes minutes to optimise with what the sanitizers add. Races show in any one of
  # them.
  set(unsanitized "")
  if(CAROM_SANITIZE AND name MATCHES "^(scalar|scalar_fma|sse2)$")
    set(unsanitized -fno-sanitize=all)
  elseif(CAROM_SANITIZE MATCHES "undefined")
    set(unsanitized -fno-sanitize=undefined)
  elseif(CAROM_SANITIZE MATCHES "thread" AND NOT name MATCHES "^(avx512|neon)$")
    set(unsanitized -fno-sanitize=thread)
  endif()
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "-fno-math-errno;${ARGN};${unsanitized}")
  if(CAROM_SANITIZE AND NOT unsanitized MATCHES "all|thread")
    set_property(SOURCE ${units} APPEND PROPERTY COMPILE_OPTIONS -O0)
  endif()
  string(TOUPPER ${name} upper)
  target_compile_definitions(carom PRIVATE CAROM_HAS_${upper})
  set_property(GLOBAL APPEND PROPERTY CAROM_ISAS ${name})
  set_property(GLOBAL PROPERTY CAROM_ISA_${name}_ARCHITECTURE ${architecture})
  set_property(GLOBAL PROPERTY CAROM_ISA_${name}_MARK "${mark}")
  set_property(GLOBAL PROPERTY CAROM_ISA_${name}_FLAGS "${ARGN}")
endfunction()

carom_isa(scalar Scalar "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i[3-6]86")
  carom_isa(scalar_fma Scalar "^$" -mfma)
  carom_isa(sse2 Sse2 "xsimd::sse2" -msse2)
  carom_isa(avx2 Avx2 "xsimd::avx" -mavx2 -mfma)
  # g++ 12 warns about undefined operands that its own header leaves undefined on purpose.
  carom_isa(avx512 Avx512 "avx512" -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma
            -Wno-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  carom_isa(neon Neon "")  # part of the baseline
endif()
