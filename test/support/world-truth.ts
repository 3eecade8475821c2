import { type Cause, places } from "./worlds.ts";

// What is true of a world in which several things went wrong, by their planting alone.

/** All combinations of so many causes that can exist together, each in the order of its planting. */
export function combinations(causes: readonly Cause[], count: number): readonly (readonly Cause[])[] {
  if (count === 0) return [[]];
  return causes.flatMap((first, at) =>
    combinations(causes.slice(at + 1), count - 1)
      .filter((others) => others.every((other) => canMeet(first, other)))
      .map((others) => inPlantingOrder([first, ...others])),
  );
}

function canMeet(a: Cause, b: Cause): boolean {
  const [, ...taken] = a.where;
  return !taken.some((part) => b.where.slice(1).includes(part));
}

function inPlantingOrder(causes: readonly Cause[]): readonly Cause[] {
  return [...causes].sort((a, b) => places.indexOf(a.where[0]) - places.indexOf(b.where[0]));
}

const ofBuilds = ["failing", "interrupted", "unseen", "guard", "faults", "silent"];

/** The kinds of the tenant's concerns, each once, in the order of the alphabet. */
export function trueConcerns(causes: readonly Cause[]): readonly string[] {
  const kinds = [...new Set(causes.flatMap(({ concerns = [] }) => concerns))].sort();
  const names = new Set(causes.map(({ name }) => name));
  return kinds.filter((kind) => {
    // Where nobody is served, nothing else matters.
    if (kinds.includes("removed")) return kind === "removed";
    // Builds pass over a tenant that is not listed, and over what is held.
    if (kinds.includes("not_in_source") && ofBuilds.includes(kind)) return false;
    if (kinds.includes("held") && ["guard", "faults", "left_out"].includes(kind)) return false;
    // The access keys moved with the tenant, and the log's hour is over days later.
    if (names.has("a tenant that was renamed") && kind.startsWith("token_")) return false;
    return !kinds.includes("silent") || !kind.startsWith("answers_");
  });
}

/**
 * What an explanation of the program has to say. What concerns its tenant comes first, and hides what only
 * builds meet.
 */
export function trueWords(causes: readonly Cause[]): readonly RegExp[] {
  const [tenant, file, hold] = (["tenant", "store", "hold"] as const).map((place) =>
    causes.find(({ where }) => where[0] === place),
  );
  const isRenamed = tenant?.name === "a tenant that was renamed";
  const above = isRenamed ? undefined : tenant;
  const isUnpublished = above?.name === "a tenant that was never published";
  const isUnlisted = above?.name === "a tenant that is not listed";
  const others = causes.filter(({ where }) => where[0] === "program");
  return causes.flatMap(({ name, where, said, saidBeside = said }) => {
    const beside = saidBeside === null ? [] : (saidBeside ?? []);
    switch (where[0]) {
      case "tenant":
        // A damaged file is what partners of an unlisted tenant meet.
        return isUnlisted && file !== undefined ? [] : (said ?? []);
      case "store":
        return above === undefined || isUnlisted ? (said ?? []) : [];
      case "hold":
        // A stated withdrawal passes a hold.
        return above === undefined && file === undefined && !isWithdrawn(causes) ? (said ?? []) : [];
      case "build": {
        if (file !== undefined) return [];
        // What a run of the day found, whatever builds do.
        if (saidBeside === null) return above === undefined || isUnlisted ? (said ?? []) : [];
        return (above === undefined || isUnpublished) && hold === undefined ? (said ?? []) : [];
      }
      case "program": {
        if (above !== undefined || file !== undefined) return beside;
        // Whatever keeps it from being published goes before its new name.
        const isAlone = others.every((other) => other.name === name || isFlaw(other)) && !isGone(causes);
        return saidBeside === null && !isAlone ? [] : (said ?? []);
      }
      default:
        return [];
    }
  });
}

const isFlaw = ({ name }: Cause): boolean => name === "no capacity" || name === "a photo without https";

function isWithdrawn(causes: readonly Cause[]): boolean {
  return causes.some(({ name }) => name === "cancelled" || name === "ended by its dates");
}

function isGone(causes: readonly Cause[]): boolean {
  return causes.some(({ where }) => where[0] === "build" && where.includes("the program's file"));
}
