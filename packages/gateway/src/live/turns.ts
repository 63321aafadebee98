/*
 * At most so many at once; the others wait in the order in which they came.
 */
export interface Turns {
  /* Resolves when it is one's turn; what it resolves to ends the turn. */
  take(): Promise<Disposable>;
}

export function createTurns(atOnceMax: number): Turns {
  const row: (() => void)[] = [];
  let taken = 0;
  const give = (): void => {
    const next = row.shift();
    if (next === undefined) taken -= 1;
    else next();
  };
  return {
    take: async () => {
      if (taken < atOnceMax) taken += 1;
      else await new Promise<void>((resolve) => row.push(resolve));
      return { [Symbol.dispose]: give };
    },
  };
}
