# How every target is compiled: language level, warnings, sanitizers, build accelerators; and where it is installed.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Clang's precompiled headers carry time stamps that defeat ccache, and only the small fuzz build uses clang.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    option(REELBRUSH_PCH "Precompile GoogleTest's and the standard library's headers for the tests" ON)
else()
    set(REELBRUSH_PCH OFF)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without this sloppiness ccache refuses every source that is compiled with a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER /usr/bin/env "CCACHE_SLOPPINESS=pch_defines,time_macros" "${CCACHE}")
endif()
find_program(MOLD mold)
if(MOLD)
    add_link_options(-fuse-ld=mold)
endif()

# Every library and program links this; it carries nothing but the warnings and the sanitizers.
add_library(reelbrush_warnings INTERFACE)
target_compile_options(reelbrush_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror>)
# nvcc's own line marks would set off -Wpedantic.
target_compile_options(reelbrush_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -lineinfo -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # At -O3, or instrumented, these three fire inside the standard library itself (GCC bugs 105329, 105651, 105562).
    target_compile_options(reelbrush_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow>)
endif()
if(REELBRUSH_SANITIZE)
    target_compile_options(reelbrush_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${REELBRUSH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
    target_link_options(reelbrush_warnings INTERFACE -fsanitize=${REELBRUSH_SANITIZE})
endif()
if(REELBRUSH_FUZZ)
    target_compile_options(reelbrush_warnings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# reelbrush_library(name SOURCES a.cpp ... PUBLIC lib ... PRIVATE lib ...)
# A static library whose headers are included from the repository root.
function(reelbrush_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE reelbrush_warnings ${ARG_PRIVATE})
endfunction()

# reelbrush_program(name SOURCES main.cpp ... LIBS lib ...)
# A program that is installed into bin; what it shows to users is installed below, from resources.
function(reelbrush_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE reelbrush_warnings ${ARG_LIBS})
    install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# An installed program looks for its data in ../share/reelbrush.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/" DESTINATION share/reelbrush)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/THIRD_PARTY_NOTICES.md" DESTINATION share/doc/reelbrush)
