#include "app/cli/encoder_option.h"

#include <map>
#include <string>

namespace reelbrush::cli {

void addEncoderOption(CLI::App& verb, media::EncoderPlace& encoder) {
    using media::EncoderPlace;
    const std::map<std::string, EncoderPlace> names{
        {"auto", EncoderPlace::Auto}, {"software", EncoderPlace::Processor}, {"nvenc", EncoderPlace::Nvenc}};
    const auto choose = [names, &encoder](const std::string& name) { encoder = names.at(name); };
    verb.add_option_function<std::string>("--encoder", choose,
                                          "auto (default: NVENC where the GPU that paints has it for the codec), "
                                          "software, or nvenc: quicker, with larger files")
        ->type_name("WHO")
        ->check(CLI::IsMember({"auto", "software", "nvenc"}));
}

}  // namespace reelbrush::cli
