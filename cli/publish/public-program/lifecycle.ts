const unpublishedStates = ["draft", "cancelled", "completed", "archived", "ended"] as const;

export type Lifecycle =
  | { readonly kind: "publishable" }
  | { readonly kind: "unpublished"; readonly state: (typeof unpublishedStates)[number] }
  /** Any other state breaks the source contract (D3). */
  | { readonly kind: "unknown" };

/** The lifecycle state alone decides whether a program is published (D1). Its case does not matter (D33). */
export function lifecycle(state: string | null): Lifecycle {
  const known = state?.toLowerCase();
  if (known === "active") return { kind: "publishable" };
  const unpublished = unpublishedStates.find((candidate) => candidate === known);
  return unpublished === undefined ? { kind: "unknown" } : { kind: "unpublished", state: unpublished };
}
