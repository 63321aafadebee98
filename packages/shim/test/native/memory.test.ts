/*
 * What an idle run costs: its shim's share of memory, and no processor time at all.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { nativeTest, until } from './rig.ts';
import type { Run } from './run.ts';

/* A thousand idle runs are to cost less than one browser tab; with musl it is below 60 kB. */
const pssKbMax = 80;

nativeTest(
  'an idle shim shares almost all it has with its siblings',
  async (rig) => {
    const runs: Run[] = [];
    for (let n = 0; n < 50; n += 1) {
      runs.push(await rig.run(['sleep', '600'], { stdin: 'open', env: typicalEnvironment }));
    }
    const starts = await Promise.all(runs.map((run) => run.started()));
    const shares = starts.map(({ shimPid }) => pssKbOf(shimPid)).sort((a, b) => a - b);
    const median = shares[shares.length / 2] ?? 0;
    assert.ok(median <= pssKbMax, `${median} kB (${shares[0]} … ${shares.at(-1)})`);
  },
  { root: true, variants: ['release'] },
);

nativeTest(
  'a shim gives back what a burst of output made it take',
  async (rig) => {
    const link = await rig.newSpawnd({ env: rig.clockEnv });
    const run = await rig.run(
      ['sh', '-c', 'head -c 64m /dev/zero; echo end >&2; exec sleep 600'],
      {},
      link,
    );
    const { shimPid } = await run.started();
    await run.log.untilMatch(
      (event) => event.type === 'doorbell' && event.journalLength > 64 * 1024 * 1024,
    );
    const before = pssKbOf(shimPid);
    rig.moveClock({ monotonicMs: 40_000 });
    await until('memory is given back', () => pssKbOf(shimPid) <= Math.min(before, 250));
  },
  { root: true, variants: ['test'] },
);

const typicalEnvironment = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`VARIABLE_${n}`, 'x'.repeat(60)]),
);

function pssKbOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss: +(\d+) kB/m.exec(rollup)?.[1]);
}
