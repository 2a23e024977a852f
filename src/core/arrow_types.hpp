// Which sink gathers a column of which Arrow type.
#pragma once

#include <memory>

#include "arrow_sinks.hpp"

namespace bough::arrow {

// For a type that cannot be read: a sink that gathers nothing and names the type.
std::unique_ptr<Sink> sink_for(const ArrowSchema& schema);

}  // namespace bough::arrow
