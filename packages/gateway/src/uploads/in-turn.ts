/*
 * One thing at a time for each name, in the order of asking; other names go on beside it.
 */
export type InTurn = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>;

export function createInTurn(): InTurn {
  const turns = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = turns.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    turns.set(name, settled);
    try {
      return await mine;
    } finally {
      if (turns.get(name) === settled) turns.delete(name);
    }
  };
}
