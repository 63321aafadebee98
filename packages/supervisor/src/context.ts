/*
 * What the supervisor's parts share while it lives: one typed object, joined once.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { OwnerIdentity } from '@clawdfather/shim';
import type { SupervisorError } from './errors.ts';
import type { SupervisorObserver } from './events.ts';
import type { Host } from './evidence/host.ts';
import type { ProcessTable } from './evidence/process-table.ts';
import type { Launcher } from './launch/launcher.ts';
import type { OwnerHandle } from './registry/owners.ts';
import type { Registry } from './registry/registry.ts';
import type { ExplainExit } from './supervisor-deps.ts';
import type { StateDir } from './registry/state-dir.ts';
import type { RetentionPolicy } from './retention/plan-retention.ts';
import type { LiveRuns } from './run/own/live-runs.ts';
import type { MakeIntent } from './run/spawn/make-intent.ts';

export interface SupervisorContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: SupervisorObserver;
  readonly explainExit: ExplainExit;
  readonly host: Host;
  readonly processTable: ProcessTable;
  readonly stateDir: StateDir;
  readonly registry: Registry;
  /* Why the registry is a copy in memory; undefined when it is the file. */
  readonly unwritable: SupervisorError | undefined;
  readonly makeIntent: MakeIntent;
  readonly launcher: Launcher;
  readonly binaryPath: string;
  readonly cgroupParent: string | undefined;
  readonly retention: RetentionPolicy;
  /* Of a run that names none. */
  readonly umask: number | undefined;
  readonly live: LiveRuns;
  /* Runs that the last reconciliation could not verify; `gc --explain` names them. */
  readonly unverifiable: Set<string>;
  /* Spawns under way that are not in `live` yet: reconciliation leaves their records alone. */
  readonly spawning: Set<string>;
  /* Who we are; changes when a lost lease is taken out anew. */
  readonly owner: () => OwnerHandle;
  /* Aborts when the supervisor closes. */
  readonly signal: AbortSignal;
}

export function ownerIdentityOf(owner: OwnerHandle): OwnerIdentity {
  return {
    instance: owner.instanceId,
    generation: owner.generation,
    pid: owner.pid,
    startTicks: owner.startTicks,
  };
}

/* Who asked, in records: which supervisor, and which life of it. */
export function actorOf(owner: OwnerHandle): string {
  return `supervisor:${owner.instanceId.slice(0, 8)}/${owner.generation}`;
}
