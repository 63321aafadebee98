/*
 * Opening what a supervisor stands on: platform, state directory, registry, launcher, ownership.
 *
 * Stages: the platform is known (S5) → the state directory is safe (O6) → the registry opens and this process becomes
 * an owner (O1) → the launcher is ready.
 */
import { createSystemClock, createSystemRandom, type Scope, silentLog } from '@clawdfather/kit';
import { holdBinary, shimBinaryPath } from '@clawdfather/shim';
import type { SupervisorContext } from './context.ts';
import { silentObserver } from './events.ts';
import { keepTicksFast } from './keep-ticks-fast.ts';
import { createDirectLauncher, createSpawndLauncher, type Launcher } from './launch/launcher.ts';
import { openOwner } from './owner/open-owner.ts';
import { selectPlatform } from './platform.ts';
import { openStateDir } from './registry/state-dir.ts';
import { usualRetention } from './limits.ts';
import { createMakeIntent } from './run/spawn/make-intent.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

export interface OpenContext extends SupervisorContext {
  /* Takes out a lease under the next generation. */
  readonly becomeOwner: () => Promise<void>;
}

/* What is opened here closes with the scope, also when a later stage fails. */
export async function openContext(deps: SupervisorDeps, scope: Scope): Promise<OpenContext> {
  const heldTick = keepTicksFast();
  scope.defer(() => heldTick[Symbol.dispose]());
  const clock = deps.clock ?? createSystemClock();
  const random = deps.random ?? createSystemRandom();
  const log = deps.log ?? silentLog;
  const observer = deps.observer ?? silentObserver;
  const platform = selectPlatform(deps.platform ?? process.platform);
  const host = platform.readHost();
  const binaryPath = deps.binaryPath ?? holdOwnBinary(scope);
  const stateDir = await openStateDir(deps.stateDir);
  for (const warning of stateDir.warnings) log.warn('state-dir.warning', { warning });
  const self = {
    pid: host.pid,
    startTicks: host.startTicks,
    bootId: host.bootId,
    pidNamespace: host.pidNamespace,
  };
  const opened = await openOwner({
    stateDir,
    clock,
    random,
    bootId: host.bootId,
    bootMs: () => host.bootMs(),
    self,
    whenUnwritable: deps.whenUnwritable ?? 'refuse',
  });
  const { registry, unwritable } = opened;
  let { owner } = opened;
  scope.defer(() => registry.close());
  const launcher = createLauncher(deps, { binaryPath, clock, log, observer });
  scope.defer(() => launcher.close());
  scope.defer(() =>
    registry.releaseOwner(owner).catch((error: unknown) => {
      log.warn('lease.release-failed', { error: String(error) });
    }),
  );
  return {
    clock,
    random,
    log,
    observer,
    explainExit: deps.explainExit ?? (() => undefined),
    host,
    processTable: deps.processTable ?? platform.createProcessTable(),
    stateDir,
    registry,
    unwritable,
    makeIntent: createMakeIntent(clock),
    launcher,
    binaryPath,
    cgroupParent: deps.cgroupParent,
    retention: deps.retention ?? usualRetention,
    umask: deps.umask,
    live: new Map(),
    spawning: new Set(),
    unverifiable: new Set(),
    owner: () => owner,
    becomeOwner: async () => {
      owner = (await registry.openOwner(self)).owner;
    },
    signal: scope.signal,
  };
}

/* The one we were installed with, whatever an upgrade does to the files meanwhile. */
function holdOwnBinary(scope: Scope): string {
  const held = holdBinary(shimBinaryPath());
  scope.defer(() => held[Symbol.dispose]());
  return held.path;
}

function createLauncher(
  deps: SupervisorDeps,
  {
    binaryPath,
    clock,
    log,
    observer,
  }: Pick<OpenContext, 'binaryPath' | 'clock' | 'log' | 'observer'>,
): Launcher {
  const create = deps.launcher === 'direct' ? createDirectLauncher : createSpawndLauncher;
  return create({
    binaryPath,
    clock,
    logFd: deps.shimLogFd,
    env: deps.shimEnv,
    onSpawndLost: () => log.warn('spawnd.lost', {}),
    onSpawndRestarted: (pid) => observer.event({ type: 'spawnd-restarted', pid }),
  });
}
