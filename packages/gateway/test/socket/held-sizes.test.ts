/*
 * The sizes of one socket where a connection to a shim is lost while its run lives, and where runs end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId, TerminalSize } from '@clawdfather/supervisor';
import { ApiError } from '../../src/http/api-error.ts';
import { HeldSizes } from '../../src/socket/held-sizes.ts';
import { attachedRunsMax } from '../../src/socket/limits.ts';
import type { SharedRun } from '../../src/socket/shared-runs.ts';

const [small, large] = [
  { cols: 45, rows: 28 },
  { cols: 190, rows: 48 },
];

/* What shims hold, by run, and how many connections and handles are open for it. */
function fakeRuns() {
  const over = new Set<string>();
  const lost = new Set<object>();
  const sizes = new Map<string, TerminalSize>();
  const open = { links: 0, handles: 0, ever: 0 };
  const ask = (runId: string, link: object, size: TerminalSize): void => {
    if (over.has(runId)) throw new ApiError('not_running');
    if (lost.has(link)) throw new Error('link-lost');
    sizes.set(runId, size);
  };
  let newest: object = {};
  const fit = async (runId: string, size: TerminalSize) => {
    const link = {};
    ask(runId, link, size);
    newest = link;
    open.links += 1;
    open.ever += 1;
    return {
      resize: async (wanted: TerminalSize) => ask(runId, link, wanted),
      close: async () => {
        open.links -= 1;
        sizes.delete(runId);
      },
    };
  };
  const acquire = async (runId: string) => {
    open.handles += 1;
    const run = { snapshot: () => ({ state: over.has(runId) ? 'exited' : 'running' }) };
    const release = () => void (open.handles -= 1);
    const shared: unknown = { run, fit: (size: TerminalSize) => fit(runId, size), release };
    return shared as SharedRun;
  };
  return { acquire, over, sizes, open, loseNewest: () => void lost.add(newest) };
}

test('a connection that was lost is replaced, and the size is held again', async () => {
  const runs = fakeRuns();
  const held = new HeldSizes(runs);
  await held.hold('run' as RunId, small);
  runs.loseNewest();
  await held.hold('run' as RunId, large);
  assert.deepEqual(runs.sizes.get('run'), large);
  await held.hold('run' as RunId, small);
  assert.deepEqual([runs.sizes.get('run'), runs.open], [small, { links: 1, handles: 1, ever: 2 }]);
  await held.letGo('run' as RunId);
  assert.deepEqual([runs.open.links, runs.open.handles], [0, 0]);
});

test('of a run that has ended it is said so, and nothing of it is kept', async () => {
  const runs = fakeRuns();
  const held = new HeldSizes(runs);
  await held.hold('run' as RunId, small);
  runs.over.add('run');
  for (let asked = 0; asked < 2; asked += 1) {
    await assert.rejects(held.hold('run' as RunId, large), { code: 'not_running' });
    assert.deepEqual([runs.open.links, runs.open.handles], [0, 0]);
  }
});

test('runs that have ended give their places back, living ones keep theirs', async () => {
  const runs = fakeRuns();
  const held = new HeldSizes(runs);
  for (let index = 0; index < attachedRunsMax; index += 1)
    await held.hold(`${index}` as RunId, small);
  await assert.rejects(held.hold('more' as RunId, small), { code: 'run_limit_reached' });
  runs.over.add('0').add('1');
  await held.hold('more' as RunId, small);
  await held.hold('another' as RunId, small);
  await assert.rejects(held.hold('too many' as RunId, small), { code: 'run_limit_reached' });
  assert.deepEqual([runs.open.links, runs.open.handles], [attachedRunsMax, attachedRunsMax]);
  held.close();
});
