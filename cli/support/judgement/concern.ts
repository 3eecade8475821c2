import type { Step } from "./step.ts";

export interface Concern {
  readonly kind: ConcernKind;
  /** `bad`: partners get errors, an empty list, or data that nobody renews. `doubtful`: somebody may want it so. */
  readonly severity: "bad" | "doubtful";
  /** The tenant in question; `null` when all tenants are concerned. */
  readonly tenantId: string | null;
  /** One sentence, for people, without a full stop. */
  readonly text: string;
  /** Since when, or when it was found (RFC 3339). `null` when the sentence says it, or nobody knows. */
  readonly at: string | null;
  /** The programs that the concern is about, each once; `null` for one without an id. */
  readonly programs: readonly (string | null)[];
  /** A request of the log that shows the concern; `null` when it is not known from requests. */
  readonly requestId: string | null;
  readonly steps: readonly Step[];
}

/**
 * P53, P77: all kinds in the order of all commands and pages, the worst first. Each has a name for tables and a label for its
 * time.
 */
export const concernKinds = {
  answers_old: { title: "older data", when: "Last" },
  unfinished_removal: { title: "removal not ended", when: "Since" },
  damaged: { title: "damaged", when: "Found" },
  never_published: { title: "never published", when: "Since" },
  answers_failed: { title: "500", when: "Last" },
  empty: { title: "empty list", when: "Since" },
  token_expired: { title: "key expired", when: "It ended" },
  answers_refused: { title: "401", when: "Last" },
  failing: { title: "builds fail", when: "Last tried" },
  silent: { title: "no builds", when: "The last one ended" },
  guard: { title: "refused", when: "Last tried" },
  faults: { title: "faulty programs", when: "Last tried" },
  answers_limited: { title: "429", when: "Last" },
  programs_shared: { title: "programs shared", when: "Found" },
  left_out: { title: "left out", when: "Found" },
  held: { title: "held", when: "Since" },
  interrupted: { title: "stopped", when: "Last tried" },
  unseen: { title: "no builds on record", when: "Since" },
  token_expires: { title: "key expires", when: "It ends" },
  not_in_source: { title: "not in the source", when: "Found" },
  removed: { title: "removed", when: "Since" },
} as const;

export type ConcernKind = keyof typeof concernKinds;

export function concern(
  kind: ConcernKind,
  severity: Concern["severity"],
  tenantId: string | null,
  text: string,
  more: Partial<Pick<Concern, "at" | "programs" | "requestId" | "steps">> = {},
): Concern {
  return { kind, severity, tenantId, text, at: null, programs: [], requestId: null, steps: [], ...more };
}

/** Puts bad concerns first. Concerns of one severity are in the order of the kinds above. */
export function worstFirst(concerns: readonly Concern[]): readonly Concern[] {
  return [...concerns].sort((a, b) => rank(a) - rank(b));
}

const order = Object.keys(concernKinds);

function rank({ kind, severity }: Concern): number {
  return order.indexOf(kind) + (severity === "bad" ? 0 : order.length);
}

/** Tenants with the same concern, said once. */
export interface SharedConcern {
  readonly concern: Concern;
  /** At least one, in the order of the subjects. */
  readonly tenantIds: readonly string[];
}

/** Concerns of the same words stand together, where the first of them stood. */
export function sharedConcerns(
  subjects: readonly { readonly tenantId: string; readonly concerns: readonly Concern[] }[],
): readonly SharedConcern[] {
  const groups = new Map<string, { readonly concern: Concern; readonly tenantIds: string[] }>();
  for (const { tenantId, concerns } of subjects) {
    for (const concern of concerns) {
      const { kind, severity, text, programs } = concern;
      const cause = JSON.stringify([kind, severity, text, programs]);
      const group = groups.get(cause);
      if (group === undefined) groups.set(cause, { concern, tenantIds: [tenantId] });
      else group.tenantIds.push(tenantId);
    }
  }
  return [...groups.values()];
}

/** The tenants of a shared concern, as long as a line has room: `7 tenants (a, b, c and 4 more)`. */
export function namedTenants(tenantIds: readonly string[]): string {
  const [first = "", ...others] = tenantIds;
  if (others.length === 0) return first;
  const shown = tenantIds.slice(0, maxNames).join(", ");
  const rest = tenantIds.length - maxNames;
  return `${tenantIds.length} tenants (${shown}${rest > 0 ? ` and ${rest} more` : ""})`;
}

const maxNames = 3;

/** Subjects by their worst concern, then by how many they have, then by name. */
export function worstSubjectFirst<
  Subject extends { readonly tenantId: string; readonly concerns: readonly Concern[] },
>(subjects: readonly Subject[]): readonly Subject[] {
  const worst = ({ concerns: [first] }: Subject): number =>
    first === undefined ? Number.MAX_SAFE_INTEGER : rank(first);
  return [...subjects].sort(
    (a, b) =>
      worst(a) - worst(b) || b.concerns.length - a.concerns.length || (a.tenantId < b.tenantId ? -1 : 1),
  );
}

export function tally(subjects: readonly { readonly concerns: readonly Concern[] }[]) {
  const of = (severity: Concern["severity"]): number =>
    subjects.filter(({ concerns: [first] }) => first?.severity === severity).length;
  const [bad, doubtful] = [of("bad"), of("doubtful")];
  return { bad, doubtful, well: subjects.length - bad - doubtful };
}

export function tallyWords(subjects: readonly { readonly concerns: readonly Concern[] }[]): string {
  const { bad, doubtful, well } = tally(subjects);
  const noun = subjects.length === 1 ? "tenant" : "tenants";
  return `${subjects.length} ${noun}: ${bad} in trouble, ${doubtful} to look at, ${well} well.`;
}

export function concernSentence({ text }: Concern): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}
