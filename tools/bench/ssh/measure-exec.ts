/*
 * Commands on the host, so many at a time: short turns of all contenders, one after the other, in another order each round.
 */
import type { SshContender, Turn } from './contenders/contender.ts';

export interface ExecOptions {
  readonly rounds: number;
  readonly turnMs: number;
  readonly concurrency: number;
}

/* By contender, a turn for each round. */
export type Turns = ReadonlyMap<string, readonly Turn[]>;

export async function measureExec(
  contenders: readonly SshContender[],
  { rounds, turnMs, concurrency }: ExecOptions,
): Promise<Turns> {
  const turns = new Map<string, Turn[]>(contenders.map(({ name }) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (let index = 0; index < contenders.length; index += 1) {
      const contender = contenders[(index + round) % contenders.length];
      if (contender === undefined) continue;
      const turn = await contender.turn({ concurrency, durationMs: turnMs });
      if (round > 0) turns.get(contender.name)?.push(turn);
    }
  }
  return turns;
}

/* What one took of the other's time in the same round: a busy minute of the machine weighs on both. */
export function ratiosOf(turns: Turns, name: string, basis: string): readonly number[] {
  const others = turns.get(basis) ?? [];
  const own = turns.get(name) ?? [];
  return own.map(({ p50 }, round) => p50 / (others[round]?.p50 ?? Number.NaN));
}
