/*
 * What an idle run costs: its shim's share of memory, and no processor time at all.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { nativeTest, until } from './rig.ts';
import type { Run } from './run.ts';

/*
 * A thousand idle runs are to cost less than one browser tab. Pages that it shares are not counted: how much of the C library is
 * one program's depends on how many others run on the machine. 17 pages with glibc, fewer with musl.
 */
const ownKbMax = 72;

nativeTest(
  'an idle shim shares almost all it has with its siblings',
  async (rig) => {
    const runs: Run[] = [];
    for (let n = 0; n < 50; n += 1) {
      runs.push(await rig.run(['sleep', '600'], { stdin: 'open', env: typicalEnvironment }));
    }
    const starts = await Promise.all(runs.map((run) => run.started()));
    const sizes = starts.map(({ shimPid }) => ownKbOf(shimPid)).sort((a, b) => a - b);
    const median = sizes[sizes.length / 2] ?? 0;
    assert.ok(median <= ownKbMax, `${median} kB (${sizes[0]} … ${sizes.at(-1)})`);
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
    const before = ownKbOf(shimPid);
    rig.moveClock({ monotonicMs: 40_000 });
    await until('memory is given back', () => ownKbOf(shimPid) <= Math.min(before, 250));
  },
  { root: true, variants: ['test'] },
);

const typicalEnvironment = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`VARIABLE_${n}`, 'x'.repeat(60)]),
);

function ownKbOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const own = [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB/gm)];
  assert.equal(own.length, 2);
  return own.reduce((sum, [, kb]) => sum + Number(kb), 0);
}
