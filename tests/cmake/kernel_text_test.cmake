# Kernels are the headers in folders kernels/, and their input in core/jobs/. Only simd/kernels/lanes/ may depend on an
# ISA. The other kernels use no intrinsics, no version of xsimd and nothing from std::, whose functions do not have the
# architecture in their names. Every batch names its architecture.
#
# cmake -DSOURCE=<src> -P kernel_text_test.cmake
file(GLOB_RECURSE files ${SOURCE}/*.hpp)
list(FILTER files INCLUDE REGEX "/src/([a-z_]+/kernels|core/jobs)/")
list(LENGTH files number)
if(number LESS 50)
  message(FATAL_ERROR "too few kernels in ${SOURCE}")
endif()
foreach(file IN LISTS files)
  file(READ ${file} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  get_filename_component(name ${file} NAME)
  string(REGEX MATCHALL "batch(_bool)?<[^<>,]*>" without_architecture "${text}")
  if(without_architecture)
    message(SEND_ERROR "${name}: no architecture in ${without_architecture}")
  endif()
  if(NOT file MATCHES "/lanes/[a-z0-9_]+\\.hpp$")
    string(REGEX MATCHALL "xsimd|_mm[0-9a-z_]+|XSIMD[A-Z_]*" intrinsics "${text}")
    if(intrinsics)
      message(SEND_ERROR "${name}: belongs into lanes/: ${intrinsics}")
    endif()
  endif()
  string(REGEX MATCHALL "std::[a-z0-9_]+" standard "${text}")
  list(REMOVE_DUPLICATES standard)
  list(REMOVE_ITEM standard std::size_t std::ptrdiff_t std::int32_t std::int64_t std::uint8_t std::uint32_t std::uint64_t
       std::byte)
  if(standard)
    message(SEND_ERROR "${name}: not in a kernel: ${standard}")
  endif()
endforeach()
