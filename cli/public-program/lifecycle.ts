const unpublishedStates = ["draft", "cancelled", "completed", "archived", "ended"] as const;

export type Lifecycle =
  | { readonly kind: "publishable" }
  | { readonly kind: "unpublished"; readonly state: (typeof unpublishedStates)[number] }
  /** Breaks the source contract. */
  | { readonly kind: "unknown" };

/** Whether a program is published is decided by its lifecycle state alone, compared without regard to case. */
export function lifecycle(state: string | null): Lifecycle {
  const known = state?.toLowerCase();
  if (known === "active") return { kind: "publishable" };
  const unpublished = unpublishedStates.find((candidate) => candidate === known);
  return unpublished === undefined ? { kind: "unknown" } : { kind: "unpublished", state: unpublished };
}
