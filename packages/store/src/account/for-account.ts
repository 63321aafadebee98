/*
 * Everything an account can ask, with its id in every query by construction.
 */
import type { AccountContext, QueryContext, AccountId } from '../context.ts';
import { type Engine, type Runner, runnerOf } from '../engine.ts';
import type { Json } from '../schema/json-text.ts';
import { type ApiTokens, createApiTokens } from './api-tokens.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { type Connections, createConnections } from './connections.ts';
import { createDevices, type Devices } from './devices.ts';
import { createThreadEvents, type ThreadEvents } from './events.ts';
import { createKeypairs, type Keypairs } from './keypairs.ts';
import { once, type OnceOutcome } from './once.ts';
import { createProfile, type Profile } from './profile.ts';
import { createPushSubscriptions, type PushSubscriptions } from './push-subscriptions.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSettings, type SettingsQueries } from './settings.ts';
import { createThreads, type Threads } from './threads.ts';
import { createTurns, type Turns } from './turns.ts';

export interface AccountQueries {
  readonly accountId: AccountId;
  readonly profile: Profile;
  readonly devices: Devices;
  readonly apiTokens: ApiTokens;
  readonly keypairs: Keypairs;
  readonly connections: Connections;
  readonly sessions: Sessions;
  readonly threads: Threads;
  readonly turns: Turns;
  readonly events: ThreadEvents;
  readonly pushSubscriptions: PushSubscriptions;
  readonly settings: SettingsQueries;
  readonly auditLog: AuditLog;
}

export interface AccountStore extends AccountQueries {
  /** Several writes as one: all or nothing. The work may run more than once (E2). */
  transaction<Value>(work: (queries: AccountQueries) => Promise<Value>): Promise<Value>;
  /** As `transaction`, with an effect that happens once per key (once.ts). */
  once<Result extends Json>(input: {
    key: string;
    requestHash: string;
    work: (queries: AccountQueries) => Promise<Result>;
  }): Promise<OnceOutcome<Result>>;
}

export function createAccountStore(
  engine: Engine,
  context: Omit<QueryContext, 'runner'>,
  accountId: AccountId,
): AccountStore {
  const queriesOn = (runner: Runner): AccountQueries =>
    createAccountQueries({ ...context, runner, accountId });
  return {
    ...queriesOn(engine),
    transaction: (work) => engine.write((db) => work(queriesOn(runnerOf(db, engine.dialect)))),
    once: ({ key, requestHash, work }) =>
      once(
        engine,
        { ...context, accountId },
        { key, requestHash, work: (db) => work(queriesOn(runnerOf(db, engine.dialect))) },
      ),
  };
}

function createAccountQueries(context: AccountContext): AccountQueries {
  return {
    accountId: context.accountId,
    profile: createProfile(context),
    devices: createDevices(context),
    apiTokens: createApiTokens(context),
    keypairs: createKeypairs(context),
    connections: createConnections(context),
    sessions: createSessions(context),
    threads: createThreads(context),
    turns: createTurns(context),
    events: createThreadEvents(context),
    pushSubscriptions: createPushSubscriptions(context),
    settings: createSettings(context),
    auditLog: createAuditLog(context),
  };
}
