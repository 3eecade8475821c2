import type { SampleProgram } from "./sample-program.ts";
import type { SampleRandom } from "./sample-random.ts";

export interface SampleEnrollment {
  readonly role: "passenger" | "staff";
  readonly status: string | null;
}

/** The enrollments of a program, in the order of booking. */
export function sampleEnrollments({
  situation,
  random: randomFor,
}: SampleProgram): readonly SampleEnrollment[] {
  const random = randomFor("enrollments");
  switch (situation) {
    case "draft":
      return [];
    case "sold_out":
      return [...travelling(random, 10), ...dropped(random, 2), staff];
    case "overbooked":
      return [...travelling(random, 11), ...dropped(random, 1), staff];
    case "last_places":
      return [...travelling(random, 11), staff];
    case "all_enrollments_terminal":
      return dropped(random, 7);
    case "many_staff_enrolled":
      return [...travelling(random, 5), staff, staff, staff, staff];
    default:
      return [...travelling(random, random.integer(5, 13)), ...dropped(random, random.integer(0, 4)), staff];
  }
}

const staff: SampleEnrollment = { role: "staff", status: "confirmed" };
const travellingStatuses = ["pending", "reserved", "confirmed", "confirmed", "paid", "paid", null] as const;
const terminalStatuses = ["cancelled", "rejected", "expired", "refunded", "withdrawn", "no_show"] as const;

function travelling(random: SampleRandom, count: number): SampleEnrollment[] {
  return passengers(count, () => random.pick(travellingStatuses));
}

function dropped(random: SampleRandom, count: number): SampleEnrollment[] {
  return passengers(count, () => random.pick(terminalStatuses));
}

function passengers(count: number, status: () => string | null): SampleEnrollment[] {
  return Array.from({ length: count }, () => ({ role: "passenger", status: status() }));
}
