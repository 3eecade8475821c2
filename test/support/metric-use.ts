/** Metrics with the labels that their series have, of Prometheus' text format. */
export type Exposed = ReadonlyMap<string, ReadonlySet<string>>;

/** What texts of `/metrics` and metrics files have, together. A histogram's parts count as metrics. */
export function exposedBy(...texts: readonly string[]): Exposed {
  const exposed = new Map<string, Set<string>>();
  for (const line of texts.join("\n").split("\n")) {
    const [, name, labels = ""] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = exposed.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="[^"]*"/g)) known.add(label);
    exposed.set(name, known);
  }
  return exposed;
}

/** P118: what is wrong with an expression of PromQL, and with the labels that texts for people take from its result. */
export function faultsOf(
  exposed: Exposed,
  expression: string,
  labelsInTexts: readonly string[] = [],
): readonly string[] {
  const bare = expression.replace(/"[^"]*"/g, '""');
  const faults: string[] = [];
  const available = new Set(ofScraping);
  for (const [, name = "", selectors = ""] of bare.matchAll(
    /\b((?:gateway|builder|process|nodejs|up)(?:_[a-z_]+|\b))(?:\{([^}]*)\})?/g,
  )) {
    const labels = name === "up" ? new Set<string>() : exposed.get(name);
    if (labels === undefined) faults.push(`no program has ${name}`);
    for (const label of labels ?? []) available.add(label);
    for (const [, label = ""] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!labels?.has(label) && !ofScraping.has(label)) faults.push(`${name} has no label ${label}`);
    }
  }
  const grouped = [...bare.matchAll(/\b(?:by|without|on|ignoring) ?\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(/, */),
  );
  for (const label of [...grouped, ...labelsInTexts]) {
    if (!available.has(label)) faults.push(`nothing in ${expression} has the label ${label}`);
  }
  return faults;
}

/** Prometheus' own. */
const ofScraping: ReadonlySet<string> = new Set(["job", "instance"]);
