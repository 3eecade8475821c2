/**
 * The arguments, with the files that a command would write moved below `/dev/null`, where nothing can be
 * made.
 */
export function withUnwritablePaths(args: readonly string[]): readonly string[] {
  return args.map((arg, at) =>
    writing.test(args[at - 1] ?? "") ? `/dev/null/${arg}` : arg.replace(writingWithValue, "$1/dev/null/"),
  );
}

const writing = /^--(?:out|report|metrics-file)$/;
const writingWithValue = /^(--(?:out|report|metrics-file)=)/;
