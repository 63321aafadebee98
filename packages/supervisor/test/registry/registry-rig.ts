/*
 * A registry in a temporary directory that vanishes with the test, with a boot
 * clock that the test moves by hand.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import type { Clock } from '@clawdfather/kit';
import { createSeededRandom } from '@clawdfather/testkit';
import type { OwnerHandle } from '../../src/registry/owners.ts';
import { openRegistry } from '../../src/registry/registry.ts';
import type { Registry } from '../../src/registry/registry.ts';
import type { NewRun } from '../../src/registry/run-writes.ts';
import { openStateDir } from '../../src/registry/state-dir.ts';
import type { StateDir } from '../../src/registry/state-dir.ts';
import type { RunId } from '../../src/types.ts';
import { bootA, exitOf, namespaceA, processOf } from '../records.ts';

export interface BootTime {
  bootMs: number;
  bootId: string;
}

export interface RegistryRig {
  readonly stateDir: StateDir;
  readonly registry: Registry;
  readonly time: BootTime;
  /** Another registry on the same file, as another process of this host would open it. */
  readonly openAnother: () => Promise<Registry>;
  readonly openOwner: (parts?: OwnerParts) => Promise<OwnerHandle>;
}

export interface OwnerParts {
  readonly registry?: Registry;
  readonly pid?: number;
  readonly provenDead?: readonly number[];
}

export async function tempDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'clawdfather-test-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function openRig(
  t: TestContext,
  clock: Clock = createSystemClock(),
): Promise<RegistryRig> {
  const dir = await mkdtemp(join(tmpdir(), 'clawdfather-test-'));
  const opened: Registry[] = [];
  // One hook: hooks run in the order they were made, and a registry that is still open folds its log into files that are being removed.
  t.after(async () => {
    await Promise.all(opened.map((registry) => registry.close()));
    await rm(dir, { recursive: true, force: true });
  });
  const stateDir = await openStateDir(join(dir, 'state'));
  const time: BootTime = { bootMs: 1_000, bootId: bootA };
  let seed = 1;
  const open = async (): Promise<Registry> => {
    const registry = await openRegistry({
      stateDir,
      clock,
      random: createSeededRandom((seed += 1)),
      bootId: time.bootId,
      bootMs: () => time.bootMs,
    });
    opened.push(registry);
    return registry;
  };
  const registry = await open();
  return {
    stateDir,
    registry,
    time,
    openAnother: open,
    openOwner: async (parts = {}) => {
      const process = {
        pid: parts.pid ?? 100,
        startTicks: 1,
        bootId: time.bootId,
        pidNamespace: namespaceA,
      };
      const opened = await (parts.registry ?? registry).openOwner(process, parts.provenDead);
      return opened.owner;
    },
  };
}

/** A run of this owner in state `running`. */
export async function startRun(
  registry: Registry,
  owner: OwnerHandle,
  run: NewRun,
): Promise<RunId> {
  await registry.write((transaction) => transaction.insertStarting(run, owner));
  const key = { runId: run.runId, epoch: 1 };
  await registry.write((transaction) => transaction.markRunning(key, processOf(), 1_000));
  return run.runId;
}

export async function finishRun(
  registry: Registry,
  runId: RunId,
  parts: Parameters<typeof exitOf>[0] = {},
): Promise<void> {
  const epoch = registry.get(runId)?.epoch ?? 0;
  const settlement = {
    exit: exitOf({ runId, ...parts }),
    isTreeGone: true,
    journalBytes: 1_000,
    lastOutputAtMs: undefined,
  };
  await registry.write((transaction) => transaction.finalise({ runId, epoch }, settlement));
}
