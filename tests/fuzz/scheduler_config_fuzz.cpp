// Feeds arbitrary JSON to the reader of scheduler configurations, and samples a little with what it accepts: whatever a
// configuration says, nothing may crash, hang or hand back latents that are no numbers. The last byte chooses the steps
// and strength.

#include "engine/diffusion/sampling/sampler.h"
#include "engine/diffusion/sampling/sampler_names.h"
#include "engine/diffusion/sampling/torch_noise.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace reelbrush::diffusion;

void require(bool holds) {
    if (!holds) std::abort();
}

void sample(Sampler& sampler) {
    constexpr std::size_t kValues = 4;
    TorchCpuNoise noise(1);
    std::vector<float> clean(kValues, 0.5f), start(kValues), latents(kValues), input(kValues);
    noise.fill(start);
    require(sampler.evaluations() > 0 && sampler.evaluations() <= 200);
    require(sampler.start(clean, start, latents).has_value());
    for (std::size_t i = 0; i < sampler.evaluations(); ++i) {
        require(std::isfinite(sampler.timestep(i)));
        sampler.scaleInput(i, latents, input);
        for (float& value : input) value = std::tanh(value);
        require(sampler.step(i, input, latents, noise).has_value());
        for (float value : latents) require(std::isfinite(value));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data), size - 1);
    const int choice = data[size - 1];
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) return 0;
    const auto settings = settingsFromSchedulerConfig(json);
    if (!settings) {
        require(!settings.error().message.empty() && settings.error().message.size() < 1000);
        return 0;
    }
    require(!nameOf(*settings).empty());
    const auto sampler = Sampler::create(*settings, 1 + choice % 50, choice % 4 == 0 ? 0.6 : 1.0);
    if (sampler) sample(**sampler);
    for (const char* name : {"ddim", "euler a", "dpm++ 2m karras", "unipc", "lcm"}) {
        const auto named = settingsNamed(name, *settings);
        if (named) (void)Sampler::create(*named, 1 + choice % 8);
    }
    return 0;
}
