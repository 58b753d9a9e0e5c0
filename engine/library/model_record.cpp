#include "engine/library/model_record.h"

#include "engine/library/model_endings.h"

namespace reelbrush::library {

std::string ModelRecord::name() const {
    return withoutModelEnding(relative.generic_string());
}

}  // namespace reelbrush::library
