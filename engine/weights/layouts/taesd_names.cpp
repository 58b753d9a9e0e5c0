#include "engine/weights/layouts/taesd_names.h"

#include "engine/weights/layouts/dotted_name.h"

#include <fmt/format.h>

#include <string>

namespace reelbrush::weights {

namespace {

NameTranslation taesdName(std::string_view stored) {
    DottedName name(stored);
    name.take("taesd_");
    const bool isDecoder = name.rest().starts_with("decoder.");
    if (!name.take(isDecoder ? "decoder." : "encoder.")) return NameTranslation::unknown();
    if (name.rest().starts_with("layers.")) return NameTranslation::as(std::string(stored));
    return taesdHalfName(name.rest(), isDecoder);
}

}  // namespace

bool isTinyVae(const ListedWeights& stored) {
    for (const char* name : {"encoder.layers.0.weight", "decoder.layers.0.weight", "encoder.0.weight",
                             "decoder.1.weight", "taesd_encoder.0.weight", "taesd_decoder.1.weight"})
        if (stored.contains(name)) return true;
    // Halves alone: a convolution, then residual blocks of three.
    return stored.contains("1.conv.0.weight") || stored.contains("3.conv.0.weight");
}

TranslatedNames taesdNames(const ListedWeights& stored) {
    return translateNames(stored, "", taesdName);
}

NameTranslation taesdHalfName(std::string_view stored, bool isDecoder) {
    DottedName name(stored);
    const auto index = name.takeIndex();
    if (!index || (isDecoder && *index == 0)) return NameTranslation::unknown();
    return NameTranslation::as(fmt::format("{}.layers.{}.{}", isDecoder ? "decoder" : "encoder",
                                           isDecoder ? *index - 1 : *index, name.rest()));
}

}  // namespace reelbrush::weights
