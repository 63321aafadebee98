/*
 * What sessions need from outside. `store` implements the records, `gateway` the rest.
 */
import type { AccountId } from '@clawdfather/kit';
import type { Decide } from './decide-on.ts';
import type { NewsDesk } from './news.ts';
import type { SessionRefusal } from './next-session.ts';
import type { Owner, SessionName, SessionRecord } from './session.ts';

export type ChangeOutcome =
  | { readonly outcome: 'changed' | 'unchanged'; readonly session: SessionRecord }
  | { readonly outcome: SessionRefusal; readonly session: SessionRecord }
  | { readonly outcome: 'not_found' };

/* The sessions of one account. */
export interface SessionRecords {
  get(id: string): Promise<SessionRecord | undefined>;
  /* Reads a session, asks what becomes of it, and writes that and the audit entry, all in one transaction. */
  change(id: string, decide: Decide): Promise<ChangeOutcome>;
  /* Moves the client's clock on, as `client-seen` does. */
  clientSeen(id: string): Promise<'seen' | 'not_found'>;
}

export type DueSession = SessionRecord & SessionName;

/* Over all accounts. These are candidates: the decision is made on what `change` reads in its transaction. */
export interface DueSessions {
  /* Open ones that this owner may take: its own of an earlier generation, and those of owners that are silent for so long. */
  orphaned(by: Owner, limits: { readonly ownerStaleMs: number }): Promise<readonly DueSession[]>;
  /* Open ones of this owner whose client has been gone for the account's idle timeout and the grace. */
  idle(
    owner: Owner,
    limits: { readonly ownerStaleMs: number; readonly idleGraceMs: number },
  ): Promise<readonly DueSession[]>;
  /* Open ones of this owner on a connection whose key is revoked. */
  onRevokedKeys(owner: Owner): Promise<readonly DueSession[]>;
}

/* The runs of this machine that belong to sessions. */
export interface SessionRuns {
  /* Sessions with a command under way here. */
  busy(): readonly SessionName[];
  isBusy(session: SessionName): boolean;
  /* Throws when this actor may not end all that is left of it. */
  checkMayEnd(session: SessionName, actor: string): void;
  /*
   * Ends its commands and the leftovers of its finished ones, as far as `closedBy` (by default the actor) may end them. So a command
   * of another caller that started at the moment of the close goes on. Never rejects: a failure is logged, and the clean-up tries
   * again.
   */
  end(session: SessionName, actor: string, closedBy?: string): Promise<void>;
}

/* What a session needs to go on, such as an SSH connection. */
export interface SessionKeeper {
  /* Is it still there? The session is ours already, with a raised epoch. */
  adopt(session: DueSession): Promise<'adopted' | 'gone'>;
}

export interface SessionDeps {
  readonly recordsOf: (accountId: AccountId) => SessionRecords;
  readonly due: DueSessions;
  /* The actor of the newest `session.close` entry of this session. */
  readonly closerOf: (session: SessionName) => Promise<string | undefined>;
  readonly runs: SessionRuns;
  readonly keeper: SessionKeeper;
  readonly news: NewsDesk;
}
