const unpublishedStates = ["draft", "cancelled", "completed", "archived", "ended"] as const;

export type Lifecycle =
  | { readonly kind: "publishable" }
  | { readonly kind: "unpublished"; readonly state: (typeof unpublishedStates)[number] }
  /** D2: breaks the source contract. */
  | { readonly kind: "unknown" };

/** D1: the lifecycle state alone decides whether a program is published; D33: its case does not. */
export function lifecycle(state: string | null): Lifecycle {
  const known = state?.toLowerCase();
  if (known === "active") return { kind: "publishable" };
  const unpublished = unpublishedStates.find((candidate) => candidate === known);
  return unpublished === undefined ? { kind: "unknown" } : { kind: "unpublished", state: unpublished };
}
