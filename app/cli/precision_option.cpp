#include "app/cli/precision_option.h"

#include <map>
#include <string>

namespace reelbrush::cli {

void addPrecisionOption(CLI::App& verb, kernels::Precision& precision) {
    const std::map<std::string, kernels::Precision> names{{"fastest", kernels::Precision::Fastest},
                                                          {"float32", kernels::Precision::Float32},
                                                          {"int8", kernels::Precision::Int8}};
    const auto choose = [names, &precision](const std::string& name) { precision = names.at(name); };
    verb.add_option_function<std::string>("--precision", choose, "fastest (default), float32 or int8")
        ->type_name("NAME")
        ->check(CLI::IsMember({"fastest", "float32", "int8"}));
}

}  // namespace reelbrush::cli
