/*
 * Everything an account can ask, with its id in every query by construction.
 */
import type { ThreadHistory } from '@clawdfather/agents';
import type { AccountContext, QueryContext, AccountId } from '../context.ts';
import { type Database, type Engine, runnerOf } from '../engine.ts';
import type { Json } from '../schema/json-text.ts';
import { type AgentSessions, createAgentSessions } from './agent-sessions.ts';
import { type ApiTokens, createApiTokens } from './api-tokens.ts';
import { type Artifacts, createArtifacts } from './artifacts.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { type Connections, createConnections } from './connections.ts';
import { createDevices, type Devices } from './devices.ts';
import { type AccountEvents, createAccountEvents } from './feed/events.ts';
import { createInbox, type Inbox } from './feed/inbox.ts';
import { createNotices, type Notices } from './feed/notices.ts';
import { createSeenMarkers, type SeenMarkers } from './feed/seen.ts';
import { createKeypairs, type Keypairs } from './keypairs.ts';
import { createLoginCodes, type LoginCodes } from './login-codes.ts';
import { createMcpSessions, type McpSessions } from './mcp-sessions.ts';
import { once, type OnceOutcome } from './once.ts';
import { createPresence, type Presence } from './presence.ts';
import { createProfile, type Profile } from './profile.ts';
import { createPushSubscriptions, type PushSubscriptions } from './push.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSettings, type SettingsQueries } from './settings.ts';
import { createHistory } from './threads/history.ts';
import { createThreads, type Threads } from './threads/threads.ts';

export interface AccountQueries {
  readonly accountId: AccountId;
  readonly profile: Profile;
  readonly devices: Devices;
  readonly loginCodes: LoginCodes;
  readonly apiTokens: ApiTokens;
  readonly keypairs: Keypairs;
  readonly connections: Connections;
  readonly sessions: Sessions;
  readonly mcpSessions: McpSessions;
  readonly threads: Threads;
  readonly artifacts: Artifacts;
  readonly history: ThreadHistory;
  readonly agentSessions: AgentSessions;
  readonly events: AccountEvents;
  readonly seen: SeenMarkers;
  readonly notices: Notices;
  readonly inbox: Inbox;
  readonly push: PushSubscriptions;
  readonly presence: Presence;
  readonly settings: SettingsQueries;
  readonly auditLog: AuditLog;
}

export interface AccountStore extends AccountQueries {
  /** Several writes as one: all or nothing. The work may run more than once (B2). */
  transaction<Value>(work: (queries: AccountQueries) => Promise<Value>): Promise<Value>;
  /** As `transaction`, with an effect that happens once per key (once.ts). */
  once<Result extends Json>(request: OnceRequest<Result>): Promise<OnceOutcome<Result>>;
}

export interface OnceRequest<Result extends Json> {
  readonly key: string;
  readonly requestHash: string;
  readonly work: (queries: AccountQueries) => Promise<Result>;
}

/*
 * Classes, because every request makes one and asks one or two of its parts: getters of a prototype cost nothing until then.
 * A part is made anew when it is asked for; it holds nothing but the context.
 */
class PartsOnDemand implements AccountQueries {
  readonly #context: AccountContext;

  constructor(context: AccountContext) {
    this.#context = context;
  }

  get accountId(): AccountId {
    return this.#context.accountId;
  }

  get profile(): Profile {
    return createProfile(this.#context);
  }

  get devices(): Devices {
    return createDevices(this.#context);
  }

  get loginCodes(): LoginCodes {
    return createLoginCodes(this.#context);
  }

  get apiTokens(): ApiTokens {
    return createApiTokens(this.#context);
  }

  get keypairs(): Keypairs {
    return createKeypairs(this.#context);
  }

  get connections(): Connections {
    return createConnections(this.#context);
  }

  get sessions(): Sessions {
    return createSessions(this.#context);
  }

  get mcpSessions(): McpSessions {
    return createMcpSessions(this.#context);
  }

  get threads(): Threads {
    return createThreads(this.#context);
  }

  get artifacts(): Artifacts {
    return createArtifacts(this.#context);
  }

  get history(): ThreadHistory {
    return createHistory(this.#context);
  }

  get agentSessions(): AgentSessions {
    return createAgentSessions(this.#context);
  }

  get events(): AccountEvents {
    return createAccountEvents(this.#context);
  }

  get seen(): SeenMarkers {
    return createSeenMarkers(this.#context);
  }

  get notices(): Notices {
    return createNotices(this.#context);
  }

  get inbox(): Inbox {
    return createInbox(this.#context);
  }

  get push(): PushSubscriptions {
    return createPushSubscriptions(this.#context);
  }

  get presence(): Presence {
    return createPresence(this.#context);
  }

  get settings(): SettingsQueries {
    return createSettings(this.#context);
  }

  get auditLog(): AuditLog {
    return createAuditLog(this.#context);
  }
}

class StoreOfAccount extends PartsOnDemand implements AccountStore {
  readonly #engine: Engine;
  readonly #context: Omit<AccountContext, 'runner'>;

  constructor(engine: Engine, context: Omit<AccountContext, 'runner'>) {
    super({ ...context, runner: engine });
    this.#engine = engine;
    this.#context = context;
  }

  transaction<Value>(work: (queries: AccountQueries) => Promise<Value>): Promise<Value> {
    return this.#engine.write((db) => work(this.#inside(db)));
  }

  once<Result extends Json>(request: OnceRequest<Result>): Promise<OnceOutcome<Result>> {
    const work = (db: Database): Promise<Result> => request.work(this.#inside(db));
    return once(this.#engine, this.#context, { ...request, work });
  }

  #inside(db: Database): AccountQueries {
    const runner = runnerOf(db, this.#engine.dialect);
    return new PartsOnDemand({ ...this.#context, runner });
  }
}

export function createAccountStore(
  engine: Engine,
  context: Omit<QueryContext, 'runner'>,
  accountId: AccountId,
): AccountStore {
  return new StoreOfAccount(engine, { ...context, accountId });
}
