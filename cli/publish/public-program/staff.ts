import type { Guide, Staff, StaffTeacher } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type { StaffRow } from "./program-source.ts";
import { presentText } from "./text.ts";

/** The display names of the lead guide, the first one (D34), and the teachers (D38); `null` when there are none. */
export function staff(rows: readonly StaffRow[], report: Report): Staff | null {
  let leadGuide: Guide | null = null;
  const teachers: StaffTeacher[] = [];
  rows.forEach(([role, rawName, rawGender, roleLabel], at) => {
    const field = `staff[${at}]`;
    const known = role?.toLowerCase();
    if (known !== "lead_guide" && known !== "teacher") {
      report("staff_role_unknown", `${field}.role`, role);
      return;
    }
    const name = presentText(rawName);
    if (name === null) {
      report("text_missing", `${field}.name`, rawName);
    } else if (known === "teacher") {
      teachers.push({
        name,
        gender: gender(rawGender, `${field}.gender`, report),
        roleLabel: presentText(roleLabel),
      });
    } else if (leadGuide === null) {
      leadGuide = { name };
    } else {
      report("lead_guide_surplus", field, name);
    }
  });
  return leadGuide === null && teachers.length === 0 ? null : { leadGuide, teachers };
}

/** D30: the API knows two. */
function gender(raw: string | null, field: string, report: Report): "male" | "female" | null {
  const known = presentText(raw)?.toLowerCase();
  if (known === "male" || known === "female") return known;
  if (known !== undefined) report("gender_invalid", field, raw);
  return null;
}
