/**
 * Numbers in the order of adding. They lie in blocks, so growing copies nothing: an array that is doubled again and again
 * leaves as much behind as it holds, until the next full garbage collection.
 */
export class NumberList {
  readonly #blocks: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    const at = this.#length % blockLength;
    if (at === 0) this.#blocks.push(new Float64Array(blockLength));
    const block = this.#blocks.at(-1);
    if (block !== undefined) block[at] = number;
    this.#length += 1;
  }

  /** NaN beyond the end. */
  at(index: number): number {
    return index < this.#length
      ? (this.#blocks[Math.floor(index / blockLength)]?.[index % blockLength] ?? NaN)
      : NaN;
  }
}

const blockLength = 2048;
