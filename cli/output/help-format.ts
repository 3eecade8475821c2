import { type Argument, type Command, Help, type HelpConfiguration, type Option } from "commander";

/** How help texts differ from commander's own: they mark what a call can't do without (P83). */
export const helpFormat: HelpConfiguration = {
  // Descriptions stay readable in a column of so many characters; commander's own bound lets lines run over in 60.
  minWidthToWrap: 24,
  // A list of commands looks the same whether a command is whole or not.
  subcommandTerm: (command: Command) => command.name(),
  commandUsage(command: Command): string {
    const path = commandPath(command);
    const required = command.options.filter(isRequired).map(({ flags }) => ` ${flags}`);
    const others = command.usage().replace("[options]", `[options]${required.join("")}`);
    return `${path} ${others}`;
  },
  optionDescription(option: Option): string {
    return marked(described(option), isRequired(option));
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

/** An option that is there or not needs nobody to say that it is off. */
function described(option: Option): string {
  if (option.isBoolean() && option.defaultValue === false) return option.description;
  return Help.prototype.optionDescription.call(plain, option);
}

function marked(text: string, isRequiredHere: boolean): string {
  return isRequiredHere ? `${text} (required)` : text;
}

const plain = new Help();
