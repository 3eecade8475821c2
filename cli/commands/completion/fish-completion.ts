import { allShapes, type CommandShape, type OptionShape, pathOf, type Value } from "./command-shape.ts";

/** A script for fish: a file in `~/.config/fish/completions`, or sourced. */
export function fishCompletion(program: CommandShape): string {
  const shapes = allShapes(program).filter(({ name }) => name !== "help");
  const paths = shapes.filter(({ path }) => path !== "").map((shape) => `'${pathOf(shape)}'`);
  return `# fish completion for ${program.name}
function __partner_programs_at --argument-names wanted
    set -l path ''
    set -l words (commandline -opc)
    for word in $words[2..]
        switch "$path/$word"
            case ${paths.join(" ")}
                set path "$path/$word"
        end
    end
    test "$path" = "$wanted"
end
complete -c ${program.name} -f
${shapes.flatMap(lines).join("\n")}
`;
}

function lines(shape: CommandShape): readonly string[] {
  const start = `complete -c partner-programs -n '__partner_programs_at "${pathOf(shape)}"'`;
  return [
    ...shape.commands.map(({ name, description }) => `${start} -a ${quoted(name)} -d ${quoted(description)}`),
    ...shape.values.flatMap((value) => (value.kind === "text" ? [] : [`${start}${action(value)}`])),
    ...shape.options.map((option) => `${start}${flagsOf(option)} -d ${quoted(option.description)}`),
  ];
}

function flagsOf({ flags, value }: OptionShape): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  return `${names.join("")}${value === undefined ? "" : ` -r${action(value)}`}`;
}

function action(value: Value): string {
  switch (value.kind) {
    case "choices":
      return ` -f -a ${quoted(value.choices.join(" "))}`;
    case "files":
      return " -F";
    case "folders":
      return " -f -a '(__fish_complete_directories (commandline -ct))'";
    case "text":
      return " -f";
  }
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
