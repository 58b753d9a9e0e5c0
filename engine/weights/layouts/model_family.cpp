#include "engine/weights/layouts/model_family.h"

#include <fmt/format.h>

#include <string>

namespace reelbrush::weights {

BaseFamily familyOf(const nlohmann::json& config) {
    const auto is = [&](const char* field, const nlohmann::json& value) {
        const auto found = config.find(field);
        return found != config.end() && *found == value;
    };
    if (is("addition_embed_type", "text_time")) return BaseFamily::Sdxl;
    return is("use_linear_projection", true) ? BaseFamily::Sd2 : BaseFamily::Sd15;
}

Result<ModelVariant> variantOf(const nlohmann::json& unetConfig) {
    const auto found = unetConfig.find("in_channels");
    const int channels = found != unetConfig.end() && found->is_number_integer() ? found->get<int>() : 4;
    switch (channels) {
        case 4:
            return ModelVariant::Plain;
        case 8:
            return ModelVariant::InstructPix2Pix;
        case 9:
            return ModelVariant::Inpainting;
        default:
            return fail(StatusCode::Unsupported,
                        fmt::format("its UNet takes {} channels; models with 4 (plain), 8 (InstructPix2Pix) and 9 "
                                    "(inpainting) are supported",
                                    channels));
    }
}

}  // namespace reelbrush::weights
