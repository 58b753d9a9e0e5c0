#include "engine/diffusion/vae/tiled_piece.h"

#include "engine/diffusion/vae/norm_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// A part of an image [height,width,channels] in memory.
struct ImagePart {
    float* pixels;
    std::size_t stride;  ///< values from row to row
};

ImagePart partAt(const float* image, const Shape& shape, int top, int left) {
    const auto channels = static_cast<std::size_t>(shape[3]), stride = static_cast<std::size_t>(shape[2]) * channels;
    const std::size_t first = static_cast<std::size_t>(top) * stride + static_cast<std::size_t>(left) * channels;
    return {const_cast<float*>(image) + first, stride};
}

void copyRows(const ImagePart& from, const ImagePart& to, int rows, std::size_t valuesPerRow) {
    for (int row = 0; row < rows; ++row) {
        const auto offset = static_cast<std::size_t>(row);
        std::memcpy(to.pixels + offset * to.stride, from.pixels + offset * from.stride, valuesPerRow * sizeof(float));
    }
}

std::string statisticsName(std::size_t norm) {
    return fmt::format("statistics{}", norm);
}

std::size_t aligned(std::size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

}  // namespace

/// Output of a row of tiles is written while its input is read: where one may not reach the other yet.
std::size_t storedBytes(const Graph& network, const NetworkPiece& piece, const TiledPiece::Options& options) {
    const Shape &input = network.shapeOf(piece.input), &output = network.shapeOf(piece.output);
    const std::size_t inputBytes = options.isInputStored ? bytesOf(input) : 0;
    if (!options.isOutputStored) return aligned(inputBytes);
    if (!options.isInputStored) return aligned(bytesOf(output));
    const TileReach reach = reachOf(network, piece);
    const std::size_t inputRow = inputBytes / static_cast<std::size_t>(input[1]);
    const std::size_t outputRow = bytesOf(output) / static_cast<std::size_t>(output[1]);
    std::size_t most = std::max(inputBytes, bytesOf(output));
    for (const TileSpan& rows : tilesAlong(static_cast<int>(input[1]), options.tileHeight, reach)) {
        const auto written = static_cast<std::size_t>(rows.keepEnd * reach.up / reach.down);
        const auto unread = static_cast<std::size_t>(static_cast<int>(input[1]) - rows.start);
        most = std::max(most, written * outputRow + unread * inputRow);
    }
    return aligned(most);
}

Result<TiledPiece> TiledPiece::compile(const PieceSource& source, const NetworkPiece& piece, const Options& options) {
    const Graph& network = source.network;
    TiledPiece result;
    result.input_ = network.shapeOf(piece.input);
    result.output_ = network.shapeOf(piece.output);
    result.tileHeight_ = options.tileHeight;
    result.tileWidth_ = options.tileWidth;
    const TileReach reach = reachOf(network, piece);
    result.rows_ = tilesAlong(static_cast<int>(result.input_[1]), options.tileHeight, reach);
    result.columns_ = tilesAlong(static_cast<int>(result.input_[2]), options.tileWidth, reach);
    result.regionBytes_ = storedBytes(network, piece, options);

    const auto planOf = [&](std::optional<std::size_t> norm) -> Result<std::unique_ptr<Plan>> {
        RB_ASSIGN(Plan plan, Plan::compile(graphOf(network, piece,
                                                   {.height = options.tileHeight,
                                                    .width = options.tileWidth,
                                                    .givenStatistics = true,
                                                    .stopAtNorm = norm}),
                                           source.weights, source.backend));
        return std::make_unique<Plan>(std::move(plan));
    };
    for (std::size_t i = piece.firstNode; i < piece.endNode; ++i)
        if (const auto* norm = std::get_if<GroupNorm>(&network.nodes()[i].op))
            result.statistics_.emplace_back(static_cast<std::size_t>(2 * norm->groups));
    for (const Value value : normInputs(network, piece)) {
        std::unique_ptr<Plan> plan;
        if (!(value == piece.input)) {
            RB_ASSIGN(plan, planOf(result.normShapes_.size()));
        }
        result.upTo_.push_back(std::move(plan));
        result.normShapes_.push_back(network.shapeOf(value));
    }
    RB_ASSIGN(result.whole_, planOf(std::nullopt));
    return result;
}

std::size_t TiledPiece::planBytes() const {
    std::size_t bytes = whole_->arenaBytes();
    for (const auto& plan : upTo_) bytes = std::max(bytes, plan ? plan->arenaBytes() : 0);
    return bytes;
}

std::size_t TiledPiece::weightBytes() const {
    std::size_t bytes = whole_->weightBytes();
    for (const auto& plan : upTo_) bytes += plan ? plan->weightBytes() : 0;
    return bytes;
}

bool TiledPiece::isInt8() const {
    return std::ranges::any_of(whole_->report(), &StepReport::int8);
}

Status TiledPiece::bind(std::span<std::byte> arena) {
    for (const auto& plan : upTo_)
        if (plan) RB_TRY(plan->bind(arena));
    return whole_->bind(arena);
}

Status TiledPiece::runTiles(Plan& plan, const float* input, const std::function<bool()>& cancelled,
                            const std::function<void(const TileSpan&, const TileSpan&)>& done) {
    const std::size_t valuesPerRow = static_cast<std::size_t>(tileWidth_) * static_cast<std::size_t>(input_[3]);
    for (const TileSpan& rows : rows_)
        for (const TileSpan& columns : columns_) {
            copyRows(partAt(input, input_, rows.start, columns.start), {plan.input("x").data(), valuesPerRow},
                     tileHeight_, valuesPerRow);
            for (std::size_t norm = 0; norm < statistics_.size(); ++norm) {
                const auto place = plan.input(statisticsName(norm));
                if (!place.empty()) std::ranges::copy(statistics_[norm], place.begin());
            }
            RB_TRY(plan.run(cancelled));
            done(rows, columns);
        }
    return {};
}

Status TiledPiece::measure(std::size_t norm, const float* input, const std::function<bool()>& cancelled) {
    const Shape& whole = normShapes_[norm];
    NormStatistics statistics(static_cast<std::size_t>(whole.channels()));
    if (!upTo_[norm]) {
        statistics.add({input, static_cast<std::size_t>(whole.elements())});
    } else {
        const Scale scale = scaleBetween(input_, whole);
        const Shape tile{1, scale.of(tileHeight_), scale.of(tileWidth_), whole.channels()};
        const auto keep = [&](const TileSpan& rows, const TileSpan& columns) {
            const ImagePart part = partAt(upTo_[norm]->output("y").data(), tile, scale.of(rows.keepBegin - rows.start),
                                          scale.of(columns.keepBegin - columns.start));
            const int height = scale.of(rows.keepEnd - rows.keepBegin);
            const auto width = static_cast<std::size_t>(scale.of(columns.keepEnd - columns.keepBegin));
            for (int row = 0; row < height; ++row)
                statistics.add({part.pixels + static_cast<std::size_t>(row) * part.stride,
                                width * static_cast<std::size_t>(tile[3])});
        };
        RB_TRY(runTiles(*upTo_[norm], input, cancelled, keep));
    }
    statistics.finish(statistics_[norm]);
    return {};
}

Status TiledPiece::run(const float* input, float* output, const std::function<bool()>& cancelled) {
    for (std::size_t norm = 0; norm < upTo_.size(); ++norm) RB_TRY(measure(norm, input, cancelled));
    const Scale scale = scaleBetween(input_, output_);
    const Shape tile{1, scale.of(tileHeight_), scale.of(tileWidth_), output_[3]};
    return runTiles(*whole_, input, cancelled, [&](const TileSpan& rows, const TileSpan& columns) {
        const ImagePart from = partAt(whole_->output("y").data(), tile, scale.of(rows.keepBegin - rows.start),
                                      scale.of(columns.keepBegin - columns.start));
        const ImagePart to = partAt(output, output_, scale.of(rows.keepBegin), scale.of(columns.keepBegin));
        copyRows(from, to, scale.of(rows.keepEnd - rows.keepBegin),
                 static_cast<std::size_t>(scale.of(columns.keepEnd - columns.keepBegin) * static_cast<int>(tile[3])));
    });
}

}  // namespace reelbrush::diffusion
