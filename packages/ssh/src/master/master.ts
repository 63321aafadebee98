/*
 * What a master is to the rest of the gateway, and what it needs. Types alone.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { RunId, Supervisor } from '@clawdfather/supervisor';
import type { AddressPolicy } from '../addresses/address-policy.ts';
import type { Lookup } from '../addresses/resolve-target.ts';
import type { HostKey } from '../pins/host-key.ts';
import type { SignerKey } from '../signer/open-signer.ts';
import type { MasterCause } from './cause-table.ts';
import type { MasterPlace } from './master-place.ts';
import type { MasterState } from './master-state.ts';

export interface MasterDeps {
  readonly supervisor: Pick<Supervisor, 'spawn' | 'attach'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly lookup: Lookup;
  readonly shimPath: string;
  readonly sshPath: string;
  /* HOME of ssh, which reads nothing of it. */
  readonly home: string;
  /* 0700 and ours; short, because sockets lie below it. */
  readonly baseDir: string;
}

export interface MasterRequest {
  readonly connectionId: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly policy: AddressPolicy;
  /* Undefined: no key was accepted yet. Then the start fails, and says which one was offered. */
  readonly pin: HostKey | undefined;
  /* The new one first, while a key is being rotated. */
  readonly keys: readonly SignerKey[];
  readonly connectSeconds: number;
  /* Since the last failed login of ours on this host. */
  readonly failedLoginMsAgo: number | undefined;
  /* Of the run. */
  readonly sessionId: string;
  readonly backendId: string;
  readonly labels: Readonly<Record<string, string>>;
}

/* A master of an earlier gateway, from the record of its run. */
export interface MasterFound {
  readonly runId: RunId;
  readonly directory: string;
  readonly address: string | undefined;
}

/* What the rest of the gateway does for a master. */
export interface MasterHooks {
  /* Ends the commands that go through it; resolves when they are over or given up. */
  readonly endCommands: () => Promise<void>;
  /* There is no way to the host any more. */
  readonly failCommands: () => void;
  readonly changed: (state: MasterState, before: MasterState) => void;
}

export interface MasterEnd {
  readonly cause: MasterCause;
  /* What the host showed, if it came so far. */
  readonly offered: HostKey | undefined;
  /* What ssh itself wrote: for the log. */
  readonly stderr: string;
}

export interface Master {
  readonly place: MasterPlace;
  /* The one that was dialled. */
  readonly address: string | undefined;
  readonly runId: RunId | undefined;
  state(): MasterState;
  /* Resolves once it is live, or has ended before. */
  readonly started: Promise<'live' | MasterEnd>;
  /* Resolves when nothing of it is left. */
  readonly ended: Promise<MasterEnd>;
  /* The key that let us in; undefined before the login, and for a master that was taken over. */
  signedWith(): string | undefined;
  drain(why: 'closed' | 'pin-changed' | 'key-revoked'): Promise<MasterEnd>;
  force(): Promise<MasterEnd>;
  /* Gives up the session of the ping until the next one, for something that is worth more. */
  pausePing(): Promise<void>;
  /* Lets go of it: it goes on, and a later gateway takes it over. */
  release(): Promise<void>;
}
