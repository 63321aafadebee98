/*
 * Which processes count as shielded, by those above them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTicksOf } from '@clawdfather/supervisor/alive';
import { type FindRun, shieldedRunAround } from '../../../src/sign-in/peer/run-around.ts';
import type { SeenProcess } from '../../../src/sign-in/peer/seen-processes.ts';
import { runId } from '../../support/records.ts';

/* One of this machine, so that it has a start. */
const shim = process.pid;

function around(
  names: readonly (string | undefined)[],
  labels: Readonly<Record<string, string>> | undefined,
  gainsNothing = true,
): ReturnType<typeof shieldedRunAround> {
  const isShim = (name: string | undefined): boolean => name === 'clf-shim';
  const pids = names.map((name, index) => (isShim(name) ? shim : 4_000_000 + index));
  const seen = new Map<number, SeenProcess>();
  names.forEach((name, index) => {
    const [pid = 0, parentPid = 0] = [pids[index], pids[index + 1]];
    if (name !== undefined) seen.set(pid, { pid, parentPid, name, gainsNothing });
  });
  const first = seen.get(pids[0] ?? 0);
  assert.ok(first);
  const findRun: FindRun = ({ pid, startTicks }) => {
    assert.deepEqual([pid, startTicks], [shim, startTicksOf(shim)]);
    return labels === undefined ? undefined : { runId: runId('a1'), labels };
  };
  return shieldedRunAround(first, seen, findRun);
}

test('below a shim of a shielded run, or of one that is not known', () => {
  const line = ['python3', 'sh', 'clf-shim', 'clf-spawnd', 'node', 'init'];
  const known = { runId: runId('a1'), isGuess: false };
  for (const level of ['full', 'opened', 'partial']) {
    assert.deepEqual(around(line, { shield: level }), known);
  }
  assert.deepEqual(around(line, undefined), { runId: undefined, isGuess: false });
});

test('not below one of a run without a shield, nor below none', () => {
  const line = ['node', 'clf-shim', 'clf-spawnd', 'init'];
  assert.equal(around(line, { name: 'gateway' }), undefined);
  assert.equal(around(['node', 'systemd', 'init'], undefined), undefined);
});

test('what can gain privileges was never in a shield, whatever is above it', () => {
  assert.equal(around(['node', 'clf-shim', 'init'], { shield: 'full' }, false), undefined);
});

test('what a killed shim left counts, and so does what has something hidden above it', () => {
  const unknown = { runId: undefined, isGuess: false };
  assert.deepEqual(around(['python3', 'clf-spawnd', 'node', 'init'], {}), unknown);
  const hidden = { runId: undefined, isGuess: true };
  assert.deepEqual(around(['python3', undefined, 'init'], {}), hidden);
});
