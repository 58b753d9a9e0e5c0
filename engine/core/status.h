#pragma once

/// Status, Result and the macros RB_TRY, RB_ASSIGN and RB_ENSURE, as the engine and the faces know them.
/// They are defined below, in the kernels, since the kernels report errors in the same way.
#include "kernels/tensor/status.h"
