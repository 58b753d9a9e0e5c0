# reelbrush_test(name SOURCES a_test.cpp ... LIBS lib ...): one GoogleTest program, its cases known to ctest.
find_package(GTest REQUIRED)
include(GoogleTest)
function(reelbrush_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE reelbrush_warnings ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name} PRIVATE
        REELBRUSH_SOURCE_DIR="${CMAKE_SOURCE_DIR}" REELBRUSH_TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data")
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
