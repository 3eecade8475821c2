import { afterAll, beforeAll, describe } from "vitest";
import type { ObjectStore } from "../../core/object-store.ts";
import { describeBodies, describeCopies } from "./object-store-contract-bodies.ts";
import { describeConditionalPuts, describeProcesses } from "./object-store-contract-conditions.ts";
import { describeKeysAndDeletes, describeListing } from "./object-store-contract-keys.ts";
import type { StoreOpening } from "./store-opening.ts";

/** A store of its own for one run of the suite, empty at the beginning. */
export interface ContractStore {
  readonly store: ObjectStore;
  /** How another process opens the same store. */
  readonly opening: StoreOpening;
  dispose(): Promise<void>;
}

/** What the parts of the suite use; `current` is filled before the first test. */
export interface ContractFixture {
  readonly store: ObjectStore;
  readonly opening: StoreOpening;
}

/**
 * The contract of the object-store port, as its doc comment states it. Every driver must pass, on every store that it
 * is meant for. Each test uses keys of its own.
 */
export function describeObjectStoreContract(
  name: string,
  makeStore: () => Promise<ContractStore>,
  /** For further stores of a driver that has shown what it does between processes: those tests take long, and the quick pass leaves these stores out. */
  options: { readonly withoutProcesses?: boolean } = {},
): void {
  describe(`object-store contract: ${name}`, () => {
    let made: ContractStore | undefined;
    beforeAll(async () => {
      made = await makeStore();
    });
    afterAll(async () => {
      await made?.dispose();
    });
    const fixture: ContractFixture = {
      get store() {
        return present(made).store;
      },
      get opening() {
        return present(made).opening;
      },
    };
    describeBodies(fixture);
    describeConditionalPuts(fixture);
    describeKeysAndDeletes(fixture);
    describeCopies(fixture);
    describeListing(fixture);
    if (options.withoutProcesses !== true) describeProcesses(fixture);
  });
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the store was not made");
  return value;
}
