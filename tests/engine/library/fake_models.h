#pragma once

#include "tests/support/safetensors_writer.h"

namespace reelbrush::testing {

/// Small files that are recognised as what their names say, though too little of each is there to compute with.
SafetensorsWriter fakeLora();        ///< of SD 1.5, in kohya's spelling; every value is zero
SafetensorsWriter fakeLoraXl();      ///< of SDXL
SafetensorsWriter fakeCheckpoint();  ///< of SD 1.5
SafetensorsWriter fakeVae();
SafetensorsWriter fakeControlNet();  ///< of SD 1.5
SafetensorsWriter fakeIpAdapter();
SafetensorsWriter fakeMotionModule();  ///< of SD 1.5, v1
SafetensorsWriter fakeEmbedding();     ///< of SD 1.5
SafetensorsWriter fakeTextEncoder();
SafetensorsWriter fakeImageEncoder();
SafetensorsWriter fakeFlux();

}  // namespace reelbrush::testing
