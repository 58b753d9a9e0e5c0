#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/sampling/noise_source.h"
#include "engine/diffusion/sampling/sampler_levels.h"
#include "engine/diffusion/sampling/sampler_settings.h"

#include <cstddef>
#include <memory>
#include <span>

namespace reelbrush::diffusion {

/// Turns noise into latents by asking the model again and again:
///
///     sampler->start(clean, noise, latents);
///     for i in 0 .. evaluations():
///         sampler->scaleInput(i, latents, input);
///         prediction = model(input, sampler->timestep(i));
///         sampler->step(i, prediction, latents, freshNoise);
///
/// All spans of one run are of one size; their layout does not matter. Latents are in the sampler's own space until the
/// last step (see SamplerLevels). start() begins a new run, so that one sampler serves many frames.
/// Thread: one at a time. Source of every method's numbers: the paper named at SamplerKind.
class Sampler {
  public:
    /// steps: 1..training timesteps (fewer for some kinds). strength: above 0 to 1, see makeLevels.
    /// Errors: BadInput, says what is wrong.
    static Result<std::unique_ptr<Sampler>> create(const SamplerSettings& settings, int steps, double strength = 1.0);
    virtual ~Sampler() = default;

    /// How often the model is asked: once a step; twice with Heun, but for the last step.
    std::size_t evaluations() const { return evaluations_.size(); }
    /// What the model is told at evaluation i; falling, not always whole.
    float timestep(std::size_t i) const { return static_cast<float>(timesteps()[stepOf(i)]); }
    /// Whether step() draws from its noise source.
    bool drawsNoise() const;
    /// What unit noise is multiplied by to start from nothing else.
    double startScale() const;

    /// latents = clean noised to the first level, or noise alone at startScale() where clean is empty. Forgets the last
    /// run. Errors: Internal (sizes differ).
    Status start(std::span<const float> clean, std::span<const float> noise, std::span<float> latents);
    /// What the model sees of the latents before evaluation i. out may be latents.
    void scaleInput(std::size_t i, std::span<const float> latents, std::span<float> out) const;
    /// Advances latents in place by the model's prediction for evaluation i. i must count up from 0 after start().
    /// Errors: Internal (out of turn, sizes differ).
    Status step(std::size_t i, std::span<const float> prediction, std::span<float> latents, NoiseSource& noise);
    /// out = clean as it would be before evaluation i (after the last one where i is evaluations()), in the space of
    /// the latents: to hold known parts in place. out may be clean or noise.
    void addNoise(std::span<const float> clean, std::span<const float> noise, std::size_t i,
                  std::span<float> out) const;

  protected:
    Sampler(SamplerSettings settings, SamplerLevels levels);

    const SamplerSettings& settings() const { return settings_; }
    const std::vector<double>& timesteps() const { return levels_.timesteps; }
    std::size_t stepCount() const { return levels_.timesteps.size(); }
    std::size_t firstStep() const { return levels_.first; }
    /// Before step s; after the last where s is stepCount().
    const NoiseLevel& level(std::size_t s) const { return levels_.levels[s]; }
    /// The step whose level evaluation i sees.
    std::size_t stepOf(std::size_t i) const { return i < evaluations_.size() ? evaluations_[i] : stepCount(); }
    void setEvaluations(std::vector<std::size_t> steps) { evaluations_ = std::move(steps); }
    /// The clean latents that the prediction stands for, of one value.
    double cleanEstimate(const NoiseLevel& at, double prediction, double latent) const;
    /// The noise that it stands for, where noise preserves variance.
    double noiseEstimate(const NoiseLevel& at, double prediction, double latent) const;

    virtual void advance(std::size_t i, std::span<const float> prediction, std::span<float> latents,
                         NoiseSource& noise) = 0;

  private:
    SamplerSettings settings_;
    SamplerLevels levels_;
    std::vector<std::size_t> evaluations_;
    std::size_t next_ = 0;  ///< the evaluation whose turn it is
};

}  // namespace reelbrush::diffusion
