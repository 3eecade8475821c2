import { describe } from "vitest";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { forAllTests } from "./lasting.ts";
import { describeBodies, describeCopies } from "./object-store-contract-bodies.ts";
import { describeConditionalPuts, describeProcesses } from "./object-store-contract-conditions.ts";
import { describeKeysAndDeletes, describeListing } from "./object-store-contract-keys.ts";
import type { StoreOpening } from "./store-opening.ts";

/** A store of its own for one run of the suite, empty at the beginning. */
export interface ContractStore {
  readonly store: ObjectStore;
  /** How another process opens the same store. */
  readonly opening: StoreOpening;
  close(): Promise<void>;
}

/**
 * The contract of the object-store port, as its doc comment states it. Every driver must pass, on every store
 * that it is meant for. Each test uses keys of its own.
 */
export function describeObjectStoreContract(
  name: string,
  makeStore: () => Promise<ContractStore>,
  /**
   * For further stores of a driver that has shown what it does between processes: those tests take long, and
   * the quick pass leaves these stores out.
   */
  options: {
    readonly withoutProcesses?: boolean;
    /**
     * How many objects are listed and deleted at once: fewer where pages have less than 1,000, or there are
     * none.
     */
    readonly objects?: number;
  } = {},
): void {
  describe(`object-store contract: ${name}`, () => {
    const fixture = forAllTests(makeStore);
    describeBodies(fixture);
    describeConditionalPuts(fixture);
    describeKeysAndDeletes(fixture);
    describeCopies(fixture);
    describeListing(fixture, options.objects ?? 2500);
    if (options.withoutProcesses !== true) describeProcesses(fixture);
  });
}
