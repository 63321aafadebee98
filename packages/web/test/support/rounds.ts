/*
 * How often a test repeats itself: a few times in `npm test`, as often as was promised in `npm run test:web:long`.
 */
export function rounds(few: number, all: number): number {
  return process.env['ROUNDS'] === 'all' ? all : few;
}

export interface Batch {
  /* Of the first round, counted from 0, and of the one after the last. */
  readonly from: number;
  readonly to: number;
  /* Of a test's name: 1 to 25 of 100. */
  readonly name: string;
}

/* A test may take ten minutes; so many rounds of anything here take less, also where others work at the same time. */
const roundsOfTest = 25;

/* In tests of so many rounds each. */
export function batchesOf(count: number, most = roundsOfTest): readonly Batch[] {
  return Array.from({ length: Math.ceil(count / most) }, (_, index) => {
    const from = index * most;
    const to = Math.min(count, from + most);
    return { from, to, name: `${from + 1} to ${to} of ${count}` };
  });
}
