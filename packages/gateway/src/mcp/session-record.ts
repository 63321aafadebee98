/*
 * What of an MCP session outlives the gateway: a row of the control database, from which any gateway on it takes the session up.
 *
 * The first write is waited for, so that no client gets an id that the next gateway does not know. Later ones are not: what they
 * change is told to a client twice at worst. One is under way at a time, and what changes meanwhile is written together.
 *
 * A database that cannot be written does not stop an agent. The session then lives as long as this gateway.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { McpSession, McpSessionChange, McpSessionName, Store } from '@clawdfather/store';
import { hashSecret } from '../auth/token-text.ts';
import type { Caller } from '../http/caller.ts';
import { clientTextCharactersMax, useWrittenEveryMs } from './limits.ts';

export interface SessionFacts {
  readonly protocolVersion: string;
  readonly clientName: string;
  readonly clientVersion: string;
}

export interface SessionRecord {
  create(facts: SessionFacts): Promise<void>;
  /* Undefined for one that is unknown, ended, expired, or of another token. */
  find(): Promise<McpSession | undefined>;
  /* Its client has sent something; written now and then. */
  used(): void;
  change(change: McpSessionChange): void;
  /* Resolves when everything is written. */
  settled(): Promise<void>;
  /* Rejects when it could not be ended for good. */
  end(): Promise<void>;
}

export interface SessionRecordDeps {
  readonly store: Pick<Store, 'forAccount'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SessionOf {
  readonly id: string;
  readonly caller: Caller;
}

export function createSessionRecord(
  { store, clock, log }: SessionRecordDeps,
  { id, caller }: SessionOf,
): SessionRecord {
  const name: McpSessionName = { idHash: hashSecret(id), tokenId: caller.id };
  const rows = () => store.forAccount(caller.accountId).mcpSessions;
  const unsaved = (error: unknown): void => log.warn('mcp-session-unsaved', { error });
  let writtenMs = Number.NEGATIVE_INFINITY;
  let waiting: McpSessionChange | undefined;
  let writing: Promise<void> | undefined;
  let isEnded = false;

  const writeAll = async (): Promise<void> => {
    while (waiting !== undefined) {
      const change = waiting;
      waiting = undefined;
      await rows().use(name, change).catch(unsaved);
    }
    writing = undefined;
  };
  const change = (more: McpSessionChange): void => {
    if (isEnded) return;
    writtenMs = clock.monotonicMs();
    waiting = { ...waiting, ...more };
    // Later, so that what changes at once is written at once: a session that is taken up follows its runs one by one.
    writing ??= Promise.resolve().then(writeAll);
  };
  return {
    create: async ({ protocolVersion, clientName, clientVersion }) => {
      writtenMs = clock.monotonicMs();
      const texts = { clientName: storable(clientName), clientVersion: storable(clientVersion) };
      await rows()
        .create({ ...name, protocolVersion, ...texts })
        .catch(unsaved);
    },
    find: () => rows().find(name),
    used: () => {
      if (clock.monotonicMs() - writtenMs >= useWrittenEveryMs) change({});
    },
    change,
    settled: async () => writing,
    end: async () => {
      isEnded = true;
      waiting = undefined;
      await writing;
      await rows().end(name);
    },
  };
}

/* A client says of itself what it likes. */
function storable(text: string): string {
  return text.slice(0, clientTextCharactersMax).toWellFormed().replaceAll('\0', '');
}
