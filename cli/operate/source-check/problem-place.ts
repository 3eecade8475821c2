import { sourceViews, viewNames } from "../../publish/source/contract.ts";

/** Where in the source a problem is: a view, and a column when it is of one. */
export interface ProblemPlace {
  readonly view: string | null;
  readonly column: string | null;
}

/** The place from which the public field of a problem came (`prices.rooms[2]`, or a JSON pointer into the response). */
export function problemPlace(field: string | null): ProblemPlace {
  if (field === null) return nowhere;
  const name = field.startsWith("/") ? pointedField(field) : field.replace(/\[\d+\]/g, "[]");
  return places.get(name) ?? places.get(name.replace(/\[\]$/, "")) ?? nowhere;
}

const nowhere: ProblemPlace = { view: null, column: null };

const places: ReadonlyMap<string, ProblemPlace> = new Map([
  ...viewNames().flatMap(placesOf),
  ["id", { view: "programs", column: "program_id" }],
  ["capacity.used", { view: "enrollments", column: "role" }],
  // A lead guide too many.
  ["staff[]", { view: "staff", column: "role" }],
]);

function placesOf(view: keyof typeof sourceViews): [string, ProblemPlace][] {
  const { field: element, columns } = sourceViews[view];
  const prefix = element === null ? "" : `${element}[].`;
  const found = columns.flatMap(([column, , field]): [string, ProblemPlace][] =>
    field === null ? [] : [[prefix + field, { view, column }]],
  );
  return element === null ? found : [[`${element}[]`, { view, column: null }], ...found];
}

/** `/data/content/visits/0` is an element of `content.visits`. The list's elements have no `data` around them. */
function pointedField(pointer: string): string {
  const names = pointer.split("/").slice(1);
  if (names[0] === "data" && names.length > 1) names.shift();
  return names
    .map((name) => (/^\d+$/.test(name) ? "[]" : `.${name}`))
    .join("")
    .slice(1);
}
