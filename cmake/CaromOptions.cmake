# carom_options(target): the language, the warnings and the arithmetic of everything in this project.
function(carom_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # One answer on every machine: a product and a sum are fused only where the code says fma.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
                                             -fno-fast-math)
  if(CAROM_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CAROM_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CAROM_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${CAROM_SANITIZE})
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
