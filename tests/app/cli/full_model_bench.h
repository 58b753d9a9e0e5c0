#pragma once

#include "tests/app/cli/workbench.h"
#include "tests/support/safetensors_writer.h"

#include <string>
#include <vector>

namespace reelbrush::cli::testing {

/// What tests of full models have: a folder with a picture, miniature models to paint it, and a model library of its
/// own, "models", which holds nothing at first.
class FullModelBench : public Workbench {
  protected:
    using Writer = reelbrush::testing::SafetensorsWriter;
    using Arguments = std::vector<std::string>;

    FullModelBench();

    /// Writes a model, with what cannot be seen in the miniature's tensors beside it; returns its path.
    std::string write(const std::string& name, const Writer& writer) const;
    std::string writeBytes(const std::string& name, const std::string& bytes) const;
    /// The miniature SD 1.5, whole.
    std::string whole(const std::string& name = "whole.safetensors") const;

    /// Its tensors whose stored names do not begin with the text.
    static Writer without(const std::string& start);
    /// All of its tensors, but that the tensor's fourth value is not a number.
    static Writer withNan(const std::string& name);
    /// A LoRA of one module, of zeros; text: the width of the text that the model reads.
    static Writer loraFor(std::int64_t text);

    /// "stylize", picture, output, two steps, a prompt where the rest has none, then the rest.
    Arguments painting(const Arguments& more) const;
    Outcome paint(const Arguments& more) const { return run(painting(more), options_); }
    /// Refused with one sentence that holds all the texts, and nothing is left behind.
    void expectNothingPainted(const Arguments& more, const std::vector<std::string>& texts) const;

    RunOptions options_;
};

}  // namespace reelbrush::cli::testing
