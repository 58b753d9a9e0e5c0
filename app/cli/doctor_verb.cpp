#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/verb.h"
#include "engine/session/machine_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace reelbrush::cli {

namespace {

using session::FindingKind;
using session::MachineFinding;

const char* nameOf(FindingKind kind) {
    switch (kind) {
        case FindingKind::Good:
            return "ok";
        case FindingKind::Note:
            return "note";
        case FindingKind::Missing:
            return "missing";
    }
    return "unknown";
}

int examine(bool json) {
    const std::vector<MachineFinding> findings = session::examineMachine();
    const bool healthy = std::none_of(findings.begin(), findings.end(),
                                      [](const MachineFinding& f) { return f.kind == FindingKind::Missing; });
    if (json) {
        Json list = Json::array();
        for (const MachineFinding& finding : findings)
            list.push_back({{"area", finding.area},
                            {"state", nameOf(finding.kind)},
                            {"found", finding.text},
                            {"advice", finding.advice}});
        printJson({{"healthy", healthy}, {"findings", list}});
        return healthy ? kDone : kFailed;
    }
    for (const MachineFinding& finding : findings) {
        printLine(fmt::format("{:<8} {:<14} {}", nameOf(finding.kind), finding.area, finding.text));
        if (!finding.advice.empty()) printLine(fmt::format("{:<23}   {}", "", finding.advice));
    }
    printLine(healthy ? "Everything that is needed is here." : "Something is missing; see above.");
    return healthy ? kDone : kFailed;
}

}  // namespace

void addDoctorVerb(CLI::App& program, Action& action) {
    const auto json = std::make_shared<bool>(false);
    CLI::App* verb = program.add_subcommand("doctor", "tell what this machine has, what is missing, and how to get it");
    verb->footer("Exit code 1 when something that is needed is missing.");
    verb->add_flag("--json", *json, "print the findings as JSON");
    verb->callback([json, &action] { action = [json](InterruptWatch&) { return examine(*json); }; });
}

}  // namespace reelbrush::cli
