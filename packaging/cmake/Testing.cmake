# reelbrush_test(name SOURCES a_test.cpp ... LIBS lib ...): one GoogleTest program, its cases known to ctest.
# reelbrush_fuzzer(name SOURCES a_fuzzer.cpp LIBS lib ...): a libFuzzer program, built only with REELBRUSH_FUZZ, also as
# part of the target 'fuzzers'; fuzzers.txt in the build folder lists them for packaging/setup.sh.
find_package(GTest REQUIRED)
include(GoogleTest)

# GoogleTest's headers take longer to read than most tests take to compile, so all tests share one reading of them.
# The libraries have none: their objects are then the same in every build folder, and ccache shares those.
if(REELBRUSH_PCH)
    # A program, since precompiled headers must be position independent in the same way as those who use them.
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/precompiled_test_headers.cpp" CONTENT "int main() {}\n")
    add_executable(reelbrush_test_headers EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/precompiled_test_headers.cpp")
    target_link_libraries(reelbrush_test_headers PRIVATE reelbrush_warnings GTest::gtest GTest::gmock)
    target_compile_options(reelbrush_test_headers PRIVATE -fpch-preprocess)
    target_precompile_headers(reelbrush_test_headers PRIVATE
        <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <cmath> <cstdint> <cstdlib> <filesystem> <fstream>
        <functional> <memory> <optional> <random> <sstream> <string> <string_view> <thread> <vector>)
endif()

function(reelbrush_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE reelbrush_warnings ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name} PRIVATE
        REELBRUSH_SOURCE_DIR="${CMAKE_SOURCE_DIR}" REELBRUSH_TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
    if(REELBRUSH_PCH)
        target_precompile_headers(${name} REUSE_FROM reelbrush_test_headers)
        # A test compiled for another instruction set cannot take them; it then reads the plain headers.
        target_compile_options(${name} PRIVATE -fpch-preprocess -Wno-error=invalid-pch)
    endif()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()

if(REELBRUSH_FUZZ)
    add_custom_target(fuzzers)
    file(WRITE "${CMAKE_BINARY_DIR}/fuzzers.txt" "")
endif()
function(reelbrush_fuzzer name)
    if(NOT REELBRUSH_FUZZ)
        return()
    endif()
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE reelbrush_warnings ${ARG_LIBS})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
    file(APPEND "${CMAKE_BINARY_DIR}/fuzzers.txt" "${CMAKE_CURRENT_BINARY_DIR}/${name}\n")
endfunction()
