#include "engine/session/session.h"

#include "engine/media/frame_source.h"
#include "tests/engine/render/fake_parts.h"
#include "tests/engine/session/written_films.h"
#include "tests/support/test_data.h"

#include <future>

namespace reelbrush::session {
namespace {

using jobs::JobEvent;
using jobs::JobState;
using render::testing::FakePainter;

/// A session whose painter inverts pictures, so that what goes through it is known.
class SessionTest : public ::testing::Test {
  protected:
    void SetUp() override { testing::writeFilm(at("in.mkv"), {40, 24}, testing::evenTimes(6)); }

    std::filesystem::path at(const std::string& name) const { return scratch_.path() / name; }

    SessionOptions options() {
        SessionOptions options;
        options.algorithmCacheFile = at("algorithms.json");
        options.painterFactory = [this](const diffusion::PaintingSetup& setup, const diffusion::PainterOptions& wanted,
                                        const CancelToken&) -> Result<std::unique_ptr<diffusion::FramePainter>> {
            ++paintersMade_;
            model_ = setup.model;
            loras_ = setup.loras;
            wanted_ = wanted;
            if (factoryError_) return fail(*factoryError_);
            auto painter = std::make_unique<FakePainter>();
            painter->onStep = onStep_;
            painter->reports = {"a.safetensors: 3 of 4 modules applied"};
            return std::unique_ptr<diffusion::FramePainter>(std::move(painter));
        };
        return options;
    }
    StylizeRequest request(const std::string& output = "out.mkv") const {
        StylizeRequest request;
        request.input = at("in.mkv");
        request.output = at(output);
        request.codec = "ffv1";
        request.style.name = "test";
        request.style.steps = 3;
        return request;
    }
    Result<StylizeReport> run(const StylizeRequest& request) {
        Session session(options());
        const auto job = session.stylize(request);
        if (!job) return fail(job.error());
        return session.wait(*job);
    }
    void expectFailure(const StylizeRequest& request, StatusCode code, const std::string& text) {
        const auto report = run(request);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, code);
        EXPECT_NE(report.error().message.find(text), std::string::npos) << report.error().message;
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
            names.push_back(entry.path().filename().string());
        EXPECT_EQ(names, std::vector<std::string>{"in.mkv"}) << "nothing is left behind";
    }

    reelbrush::testing::ScratchFolder scratch_;
    int paintersMade_ = 0;
    std::filesystem::path model_;
    std::vector<diffusion::LoraChoice> loras_;
    diffusion::PainterOptions wanted_;
    std::optional<Error> factoryError_;
    std::function<void(int, int)> onStep_;
};

TEST_F(SessionTest, StylizesAFilm) {
    const auto report = run(request());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->frames, 6);
    EXPECT_EQ(report->size, (PictureSize{40, 24}));
    EXPECT_EQ(report->output, at("out.mkv"));
    EXPECT_EQ(report->style, "test");
    EXPECT_EQ(report->loras, std::vector<std::string>{"a.safetensors: 3 of 4 modules applied"});
    EXPECT_GT(report->seconds, 0);
    EXPECT_GT(report->measuredPeakBytes, 0u);
    EXPECT_EQ(report->forecast.arenaBytes, std::size_t{1} << 20);
    EXPECT_EQ(wanted_.width, 48) << "padded to the model's grid";
    EXPECT_EQ(wanted_.height, 32);
    EXPECT_EQ(model_.filename(), "starter");

    const auto film = media::inspectClip(at("out.mkv"));
    ASSERT_TRUE(film) << film.error().message;
    EXPECT_EQ(film->video.width, 40);
}

TEST_F(SessionTest, TellsWhatHappensInOrder) {
    Session session(options());
    std::promise<void> woken;
    std::once_flag once;
    session.setWakeup([&] { std::call_once(once, [&] { woken.set_value(); }); });
    const auto job = session.stylize(request());
    ASSERT_TRUE(job);
    woken.get_future().wait();
    ASSERT_TRUE(session.wait(*job));
    std::vector<JobEvent> events = session.drainEvents();
    for (const JobEvent& event : session.drainEventsWithin(std::chrono::milliseconds(1))) events.push_back(event);
    ASSERT_GE(events.size(), 4u);
    EXPECT_EQ(events.front().state, JobState::Queued);
    EXPECT_EQ(events.back().state, JobState::Done);
    std::vector<std::string> stages;
    for (const JobEvent& event : events)
        if (!event.stage.empty() && (stages.empty() || stages.back() != event.stage)) stages.push_back(event.stage);
    EXPECT_EQ(stages, (std::vector<std::string>{"preparing the model", "painting", "completing the file"}));
    EXPECT_EQ(events[events.size() - 2].progress.done, 6);
    EXPECT_EQ(events[events.size() - 2].progress.total, 6);
}

TEST_F(SessionTest, KeepsThePainterForTheNextJob) {
    Session session(options());
    for (const char* name : {"a.mkv", "b.mkv"}) {
        const auto job = session.stylize(request(name));
        ASSERT_TRUE(job);
        ASSERT_TRUE(session.wait(*job));
    }
    EXPECT_EQ(paintersMade_, 1);
}

TEST_F(SessionTest, RequestsAreSnapshots) {
    Session session(options());
    StylizeRequest changing = request("a.mkv");
    const auto first = session.stylize(changing);
    changing.output = at("b.mkv");
    const auto second = session.stylize(changing);
    EXPECT_EQ(session.wait(*first)->output, at("a.mkv"));
    EXPECT_EQ(session.wait(*second)->output, at("b.mkv"));
}

TEST_F(SessionTest, CancelsAndLeavesNothing) {
    std::promise<void> painting;
    std::once_flag once;
    onStep_ = [&](int, int) {
        std::call_once(once, [&] { painting.set_value(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    Session session(options());
    StylizeRequest long_ = request();
    long_.style.steps = 1000;
    const auto job = session.stylize(long_);
    ASSERT_TRUE(job);
    painting.get_future().wait();
    session.cancel(*job);
    const auto report = session.wait(*job);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::Cancelled);
    EXPECT_FALSE(std::filesystem::exists(at("out.mkv")));
}

TEST_F(SessionTest, FailuresLeaveNothing) {
    StylizeRequest wrong = request();
    wrong.input = at("none.mkv");
    expectFailure(wrong, StatusCode::Io, "none.mkv");

    wrong = request("in.mkv");
    expectFailure(wrong, StatusCode::BadInput, "input");

    wrong = request();
    wrong.structure = 2;
    expectFailure(wrong, StatusCode::BadInput, "structure");

    wrong = request();
    wrong.style.baseModel = "sdxl";
    expectFailure(wrong, StatusCode::BadInput, "starter");

    wrong = request();
    wrong.style.pictures = {at("nowhere.png")};
    expectFailure(wrong, StatusCode::Io, "nowhere.png");

    wrong = request();
    wrong.ramBytes = 1 << 20;
    expectFailure(wrong, StatusCode::OutOfMemory, "MiB");

    factoryError_ = Error{StatusCode::BadInput, "the model is damaged"};
    expectFailure(request(), StatusCode::BadInput, "the model is damaged");
}

TEST_F(SessionTest, UnknownJobs) {
    Session session(options());
    session.cancel(5);
    const auto report = session.wait(5);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::BadInput);
}

TEST_F(SessionTest, GoesDownInTheMiddleOfAJob) {
    std::promise<void> painting;
    std::once_flag once;
    onStep_ = [&](int, int) {
        std::call_once(once, [&] { painting.set_value(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    {
        Session session(options());
        StylizeRequest long_ = request();
        long_.style.steps = 1000;
        ASSERT_TRUE(session.stylize(long_));
        ASSERT_TRUE(session.stylize(request("b.mkv")));
        painting.get_future().wait();
    }
    EXPECT_FALSE(std::filesystem::exists(at("out.mkv")));
    EXPECT_FALSE(std::filesystem::exists(at("b.mkv")));
}

TEST_F(SessionTest, OneJobsLorasAreThePainters) {
    StylizeRequest with = request();
    with.style.loras = {{at("a.safetensors"), 0.5}};
    with.loras = {{at("b.safetensors"), 0.25}, {at("a.safetensors"), 2.0}};
    ASSERT_TRUE(run(with));
    ASSERT_EQ(loras_.size(), 2u);
    EXPECT_EQ(loras_[0].strength, 2.0f);
    EXPECT_EQ(loras_[1].file, at("b.safetensors"));
}

}  // namespace
}  // namespace reelbrush::session
