/*
 * A heap as a busy gateway has it: half of it small objects that the collector has to visit, half of it buffers
 * outside V8. Every page is written to, for an untouched page costs a fork nothing.
 */
interface Leaf {
  readonly id: number;
  readonly name: string;
  readonly next: Leaf | undefined;
}

/* One leaf and its string, as V8 lays them out. */
const bytesPerLeaf = 72;
const bufferBytes = 1024 * 1024;

const held: unknown[] = [];

export function holdLiveHeap(bytes: number): void {
  const leaves: Leaf[] = [];
  let last: Leaf | undefined;
  for (let id = 0; id < bytes / 2 / bytesPerLeaf; id += 1) {
    last = { id, name: `leaf-${id}`, next: id % 64 === 0 ? undefined : last };
    leaves.push(last);
  }
  held.push(leaves);
  for (let taken = 0; taken < bytes / 2; taken += bufferBytes) {
    held.push(Buffer.alloc(bufferBytes, 1));
  }
}
