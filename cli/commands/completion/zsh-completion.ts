import { allShapes, type CommandShape, type OptionShape, type Value } from "./command-shape.ts";

/** A script for zsh: a file `_partner-programs` in a folder of `fpath`, or sourced after `compinit`. */
export function zshCompletion(program: CommandShape): string {
  return `#compdef ${program.name}
${allShapes(program)
  .filter(({ name }) => name !== "help")
  .map((shape) => (shape.commands.length > 0 ? group(shape) : leaf(shape)))
  .join("")}
if [ "$funcstack[1]" = "_${program.name}" ]; then
  _partner_programs "$@"
else
  compdef _partner_programs ${program.name}
fi
`;
}

function leaf(shape: CommandShape): string {
  const specs = [...shape.options.map(optionSpec), ...shape.values.map(argumentSpec)];
  return `
${functionName(shape)}() {
  _arguments -s \\
${specs.map((spec) => `    ${spec}`).join(" \\\n")}
}
`;
}

/** A group completes the names of its commands. After `help` it does so again. */
function group(shape: CommandShape): string {
  const commands = shape.commands.map(({ name, description }) =>
    quoted(`${name}:${description.replaceAll(":", "\\:")}`),
  );
  const cases = shape.commands.map((child) =>
    child.name === "help" ? `help) ${functionName(shape)} ;;` : `${child.name}) ${functionName(child)} ;;`,
  );
  return `
${functionName(shape)}() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a commands=(
${commands.map((command) => `    ${command}`).join("\n")}
  )
  _arguments -C \\
${shape.options.map((option) => `    ${optionSpec(option)} \\`).join("\n")}
    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case $words[1] in
${cases.map((line) => `        ${line}`).join("\n")}
      esac ;;
  esac
}
`;
}

function optionSpec({ flags, description, value, isRepeatable }: OptionShape): string {
  const text = `[${escapedText(description)}]`;
  const repeated = isRepeatable ? "*" : "";
  if (value === undefined) {
    const exclusive = `'(${flags.join(" ")})'`;
    const all = flags.length > 1 ? `{${flags.join(",")}}` : flags[0];
    return `${exclusive}${all}${quoted(text)}`;
  }
  return quoted(`${repeated}${flags[0]}=${text}: :${action(value)}`);
}

function argumentSpec(value: Value, at: number, values: readonly Value[]): string {
  return quoted(`${at === values.length - 1 && value.kind === "text" ? "*" : at + 1}: :${action(value)}`);
}

function action(value: Value): string {
  switch (value.kind) {
    case "choices":
      return `(${value.choices.join(" ")})`;
    case "files":
      return "_files";
    case "folders":
      return "_files -/";
    case "text":
      return " ";
  }
}

function functionName({ path }: CommandShape): string {
  return path === "" ? "_partner_programs" : `_partner_programs_${path.replace(/\W/g, "_")}`;
}

function escapedText(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
