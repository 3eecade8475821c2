import type { Step } from "./step.ts";

/** `bad`: somebody has to do something today: partners get errors, or data that nobody renews. `doubtful`: it may be meant so. */
type Severity = "bad" | "doubtful";

export interface Concern {
  readonly kind: ConcernKind;
  readonly severity: Severity;
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
 * P53, P77: all kinds in the order of all commands and pages, the worst first. Each has its usual severity, a name for tables,
 * and a label for its time.
 */
export const concernKinds = {
  answers_old: { severity: "bad", title: "older data", when: "Last" },
  unfinished_removal: { severity: "bad", title: "removal not ended", when: "Since" },
  damaged: { severity: "bad", title: "damaged", when: "Found" },
  never_published: { severity: "bad", title: "never published", when: "Since" },
  answers_failed: { severity: "bad", title: "500", when: "Last" },
  empty: { severity: "doubtful", title: "empty list", when: "Since" },
  token_expired: { severity: "bad", title: "key expired", when: "It ended" },
  answers_refused: { severity: "doubtful", title: "401", when: "Last" },
  failing: { severity: "bad", title: "builds fail", when: "Last tried" },
  silent: { severity: "bad", title: "no builds", when: "The last one ended" },
  guard: { severity: "bad", title: "refused", when: "Last tried" },
  faults: { severity: "bad", title: "faulty programs", when: "Last tried" },
  answers_limited: { severity: "doubtful", title: "429", when: "Last" },
  programs_shared: { severity: "doubtful", title: "programs shared", when: "Found" },
  left_out: { severity: "doubtful", title: "left out", when: "Found" },
  held: { severity: "doubtful", title: "held", when: "Since" },
  interrupted: { severity: "doubtful", title: "stopped", when: "Last tried" },
  unseen: { severity: "doubtful", title: "no builds on record", when: "Since" },
  token_expires: { severity: "doubtful", title: "key expires", when: "It ends" },
  not_in_source: { severity: "doubtful", title: "not in the source", when: "Found" },
  removed: { severity: "doubtful", title: "removed", when: "Since" },
} as const;

export type ConcernKind = keyof typeof concernKinds;

export function concern(
  kind: ConcernKind,
  tenantId: string | null,
  text: string,
  more: Partial<Pick<Concern, "severity" | "at" | "programs" | "requestId" | "steps">> = {},
): Concern {
  const { severity } = concernKinds[kind];
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
  const of = (severity: Severity): number =>
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
