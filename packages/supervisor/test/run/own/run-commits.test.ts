/*
 * Which steps of a run reach the registry: each while it is true, and one for all when the run was over first.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import type { RegistryTransaction } from '../../../src/registry/registry.ts';
import type { Settlement } from '../../../src/registry/run-writes.ts';
import { createRunCommits, type RunCommits } from '../../../src/run/own/run-commits.ts';
import { exitOf, processOf, runIdOf } from '../../records.ts';

interface Rig {
  readonly commits: RunCommits;
  /* What was written, in order. */
  readonly written: readonly string[];
  /* Commits what is queued. */
  readonly commit: () => Promise<void>;
}

function createRig(): Rig {
  const written: string[] = [];
  const settle = (_key: unknown, { process }: Settlement): 'done' => {
    written.push(process === undefined ? 'exited' : 'started and exited');
    return 'done';
  };
  const transaction = {
    markRunning: () => written.push('running'),
    markExiting: () => written.push('exiting'),
    finalise: settle,
  } as unknown as RegistryTransaction;
  const queue: (() => void)[] = [];
  const commits = createRunCommits({
    registry: {
      write: (work) => new Promise((resolve) => queue.push(() => resolve(work(transaction)))),
    },
    key: { runId: runIdOf('r'), epoch: 1 },
    clock: createFakeClock(),
    onStolen: (error) => assert.fail(error),
    onFailed: (error) => assert.fail(String(error)),
  });
  const commit = async (): Promise<void> => {
    for (const work of queue.splice(0)) work();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { commits, written, commit };
}

const settlement = { exit: exitOf(), isTreeGone: true, journalBytes: 1, lastOutputAtMs: undefined };
const nobody = (): void => {};

test('a run that lives while it is written has every step', async () => {
  const { commits, written, commit } = createRig();
  commits.running(processOf(), nobody);
  await commit();
  commits.exiting();
  await commit();
  commits.finalise(settlement, nobody);
  await commit();
  assert.deepEqual(written, ['running', 'exiting', 'exited']);
});

test('a run that is over before the commit has one step with everything, and all are told', async () => {
  const { commits, written, commit } = createRig();
  const told: string[] = [];
  commits.running(processOf(), () => told.push('running'));
  commits.exiting();
  commits.finalise(settlement, () => told.push('exited'));
  await commit();
  assert.deepEqual(written, ['started and exited']);
  assert.deepEqual(told, ['running', 'exited']);
});
