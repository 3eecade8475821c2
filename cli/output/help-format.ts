import { type Argument, type Command, Help, type HelpConfiguration, type Option } from "commander";

/** How help texts differ from commander's own: they mark required options and arguments. */
export const helpFormat: HelpConfiguration = {
  // Descriptions are wrapped even into a column this narrow. With commander's own bound, lines overflow a terminal of 60 columns.
  minWidthToWrap: 24,
  // Only the name, because the other commands of a list are not loaded and have no options to show.
  subcommandTerm: (command: Command) => command.name(),
  commandUsage(command: Command): string {
    const path = commandPath(command);
    const required = command.options.filter(isRequired).map(({ flags }) => ` ${flags}`);
    const others = command.usage().replace("[options]", `[options]${required.join("")}`);
    return `${path} ${others}`;
  },
  optionDescription(option: Option): string {
    return marked(Help.prototype.optionDescription.call(plain, option), isRequired(option));
  },
  argumentDescription(argument: Argument): string {
    return marked(Help.prototype.argumentDescription.call(plain, argument), argument.required);
  },
};

/** The words that call the command, the program's name first. */
function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

function isRequired({ mandatory, defaultValue }: Option): boolean {
  return mandatory && defaultValue === undefined;
}

function marked(text: string, isRequiredHere: boolean): string {
  return isRequiredHere ? `${text} (required)` : text;
}

const plain = new Help();
