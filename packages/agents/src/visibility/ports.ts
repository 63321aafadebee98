/*
 * What agents that have to do with other agents' sessions need from the control database. `store` implements it.
 */
import type { AccountId } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import type { NewThread, ThreadAudit } from '../ports.ts';
import type { ThreadRow, WakeOutcome } from '../rows.ts';

/* A thread that an agent asks for. The same id twice is one thread. */
export interface NewChild extends NewThread {
  readonly id: string;
  readonly parentId: string;
  /* How many may be above it. */
  readonly depthMax: number;
  /* Of one tree: how many that were spawned may have a turn, or an agent that lives. */
  readonly activeMax: number;
}

export type SpawnOutcome =
  | { readonly outcome: 'made' | 'known'; readonly thread: ThreadRow }
  /* The id is that of another thread, which is no child of this parent. */
  | { readonly outcome: 'id-taken' | 'parent-gone' | 'too-deep' | 'too-many' };

/* Of one account. */
export interface AgentSessionRecords {
  spawn(child: NewChild, audit?: ThreadAudit): Promise<SpawnOutcome>;
  /* The hash of the key with which the agent of this run is known from now on. False: there is no such run. */
  putKey(runId: RunId, keyHash: string): Promise<boolean>;
}

/* The agent that holds a key: as long as its run lives, and not once it is being ended. */
export interface KeyHolder {
  readonly accountId: AccountId;
  readonly runId: RunId;
  readonly threadId: string;
}

/* Over all accounts. */
export interface AgentKeys {
  /* Undefined for what is unknown, of a run that has ended, or of a disabled account: all look alike. */
  find(keyHash: string): Promise<KeyHolder | undefined>;
}

/* A turn that has ended, and the thread that is still to be told. */
export interface DueWake {
  readonly accountId: AccountId;
  readonly turnId: string;
  readonly threadId: string;
  readonly wakeId: string;
}

/* Over all accounts. */
export interface WakeRecords {
  /* Oldest first, without the first few. */
  due(limit: number, skip?: number): Promise<readonly DueWake[]>;
  settle(wake: DueWake, outcome: WakeOutcome): Promise<void>;
}
