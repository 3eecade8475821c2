import { allShapes, type CommandShape, type OptionShape, pathOf, type Value } from "./command-shape.ts";

/** A script for bash 3.2 and later, with or without the package bash-completion. */
export function bashCompletion(program: CommandShape): string {
  const shapes = allShapes(program);
  return `# bash completion for ${program.name}: source this file, or put it where bash-completion looks for it.
_partner_programs() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= word at
  # bash splits --log=FILE into three words.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case "$path/$word" in
${indented(4, pathCases(shapes))}
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${indented(2, shapes.flatMap(valueCases))}
  esac
  case "$path" in
${indented(2, shapes.map(candidateCase))}
  esac
}
_partner_programs_words() {
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@" -- "$current")
}
complete -F _partner_programs ${program.name}
`;
}

/** The words `snapshot` and `explain` lead to the path `/snapshot/explain`. Words that are no command are passed over. */
function pathCases(shapes: readonly CommandShape[]): readonly string[] {
  return shapes
    .filter(({ path, name }) => path !== "" && name !== "help")
    .map((shape) => `${pathOf(shape)}) path=$path/$word ;;`);
}

function valueCases(shape: CommandShape): readonly string[] {
  return shape.options.flatMap((option) => {
    if (option.value === undefined) return [];
    const patterns = option.flags.map((flag) => `'${pathOf(shape)} ${flag}'`).join("|");
    return [`${patterns}) ${completed(option.value)}return ;;`];
  });
}

function completed(value: Value): string {
  switch (value.kind) {
    case "choices":
      return `_partner_programs_words -W '${value.choices.join(" ")}'; `;
    case "files":
      return "compopt -o filenames 2>/dev/null; _partner_programs_words -f; ";
    case "folders":
      return "compopt -o filenames 2>/dev/null; _partner_programs_words -d; ";
    case "text":
      return "";
  }
}

function candidateCase(shape: CommandShape): string {
  const words = [
    ...shape.commands.map(({ name }) => name),
    ...shape.values.flatMap((value) => (value.kind === "choices" ? value.choices : [])),
    ...shape.options.flatMap(longFlags),
  ];
  return `'${pathOf(shape)}') _partner_programs_words -W '${words.join(" ")}' ;;`;
}

function longFlags({ flags }: OptionShape): readonly string[] {
  return flags.slice(0, 1);
}

function indented(by: number, lines: readonly string[]): string {
  return lines.map((line) => " ".repeat(by + 2) + line).join("\n");
}
