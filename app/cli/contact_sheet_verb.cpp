#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/verb.h"
#include "engine/session/contact_sheet.h"

#include <memory>
#include <string>

namespace reelbrush::cli {

namespace {

struct ContactSheetArguments {
    std::string input, output, sheet;
    session::ContactSheetOptions options;
    bool json = false;
};

int writeSheet(const ContactSheetArguments& arguments) {
    const Status status =
        session::writeContactSheet(arguments.input, arguments.output, arguments.sheet, arguments.options);
    if (!status) return failWith(status.error());
    if (arguments.json)
        printJson({{"sheet", arguments.sheet}});
    else
        printLine(arguments.sheet);
    return kDone;
}

}  // namespace

void addContactSheetVerb(CLI::App& program, Action& action) {
    const auto arguments = std::make_shared<ContactSheetArguments>();
    CLI::App* verb =
        program.add_subcommand("contact-sheet", "put frames of a film and of its restyling in one picture");
    verb->add_option("IN", arguments->input, "the film before")->required();
    verb->add_option("OUT", arguments->output, "what was made of it")->required();
    verb->add_option("SHEET", arguments->sheet, "the picture to write, such as sheet.png")->required();
    verb->add_option("--columns", arguments->options.columns, "frames shown, 1 to 50; default 5")->type_name("N");
    verb->add_option("--width", arguments->options.cellWidth, "pixels of each, 16 to 4096; default 320")
        ->type_name("N");
    verb->add_flag("--json", arguments->json, "print the result as JSON");
    verb->callback([arguments, &action] { action = [arguments](InterruptWatch&) { return writeSheet(*arguments); }; });
}

}  // namespace reelbrush::cli
