/*
 * SSH connections: where to, as whom, with which key, and what the last test said. Deleted ones stay as rows, because
 * sessions and audit entries name them; their label is free again.
 */
import type { NextConnectionKeys } from '@clawdfather/ssh';
import { type AuditEntry, auditedWrite, changed, unchanged } from '../audit.ts';
import type { AccountContext, AccountId, Listing, Page } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { SshConnectionsTable } from '../schema/tables.ts';
import { createSelect, pageOf, type PageValues, selectPage } from '../select.ts';
import { keysOf, noTest, retireUnused, rowOf } from './connection-keys.ts';
import { writeNews } from './feed/news.ts';
import { forgetOffered } from './threads/agent-choices.ts';

export type Connection = RecordOf<SshConnectionsTable>;

export interface ConnectionFields {
  readonly label: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly keypairId: string;
}

export interface HostPin {
  readonly key: string;
  readonly fingerprint: string;
}

type Refusal = { readonly outcome: 'label_exists' | 'keypair_not_found' };

export type CreateConnectionOutcome =
  | { readonly outcome: 'created'; readonly connection: Connection }
  | Refusal;

export type UpdateConnectionOutcome =
  | { readonly outcome: 'updated'; readonly connection: Connection }
  | Refusal
  | { readonly outcome: 'not_found' };

export interface Connections {
  /** Newest first. */
  list(page?: Page): Promise<Listing<Connection>>;
  get(id: string): Promise<Connection | undefined>;
  create(input: { fields: ConnectionFields; audit: AuditEntry }): Promise<CreateConnectionOutcome>;
  /** Another host or port is another machine: its pin and test are cleared. Another user or key: the test. */
  update(input: {
    id: string;
    fields: Partial<ConnectionFields>;
    nextKeys: NextConnectionKeys;
    audit: AuditEntry;
  }): Promise<UpdateConnectionOutcome>;
  /**
   * With a pin: it is accepted together with the result. With `proven`: a login succeeded with that key. Refused when the connection
   * has since been changed: `seen` is what was tested.
   */
  recordTest(input: {
    id: string;
    result: string;
    latencyMs?: number;
    /** Why it failed, in one word. */
    cause?: string;
    pin?: HostPin;
    proven?: { keypairId: string; nextKeys: NextConnectionKeys };
    seen?: Pick<Connection, 'host' | 'port' | 'username'>;
    audit: AuditEntry;
  }): Promise<'recorded' | 'not_found'>;
  /** Another machine or user gets `ask` again, by `update` and by another pin: what was allowed was allowed there. */
  setPolicy(input: {
    id: string;
    policy: Connection['policy'];
    audit: AuditEntry;
  }): Promise<Connection | undefined>;
  remove(input: {
    id: string;
    audit: AuditEntry;
  }): Promise<'removed' | 'not_found' | 'active_session_exists'>;
}

const noPolicy = { policy: 'ask' } as const;
const noPin = { pin_key: null, pin_fingerprint: null, pinned_at_ms: null } as const;

export function createConnections(context: AccountContext): Connections {
  const { runner, accountId } = context;
  return {
    list: (page = {}) => selectPage(runner, selectConnections, { page, values: { accountId } }),
    get: async (id) => {
      const [row] = await runner.select(selectConnection, { accountId, id });
      return toOptionalRecord(row);
    },
    create: ({ fields, audit }) =>
      auditedWrite<CreateConnectionOutcome>(context, audit, (db) => create(db, context, fields)),
    update: ({ audit, ...input }) =>
      auditedWrite<UpdateConnectionOutcome>(context, audit, (db) => update(db, context, input)),
    recordTest: ({ audit, ...input }) =>
      auditedWrite<'recorded' | 'not_found'>(context, audit, (db) => record(db, context, input)),
    setPolicy: ({ audit, ...input }) =>
      auditedWrite<Connection | undefined>(context, audit, (db) => setPolicy(db, context, input)),
    remove: ({ id, audit }) =>
      auditedWrite<'removed' | 'not_found' | 'active_session_exists'>(context, audit, (db) =>
        remove(db, context, id),
      ),
  };
}

const selectConnections = createSelect(
  (db, { accountId, ...page }: PageValues<{ readonly accountId: AccountId }>) => {
    const all = db
      .selectFrom('ssh_connections')
      .where('account_id', '=', accountId)
      .where('deleted_at_ms', 'is', null);
    return pageOf(all.orderBy('created_at_ms', 'desc').orderBy('id'), page);
  },
);

const selectConnection = createSelect(
  (db, { accountId, id }: { readonly accountId: AccountId; readonly id: string }) =>
    whereConnection(db, accountId, id),
);

function whereConnection(db: Database, accountId: AccountId, id: string) {
  return db
    .selectFrom('ssh_connections')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at_ms', 'is', null);
}

async function isKeypairUsable(db: Database, accountId: AccountId, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('agent_keypairs')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return row !== undefined;
}

async function create(db: Database, context: AccountContext, fields: ConnectionFields) {
  const { accountId, clock, random } = context;
  if (!(await isKeypairUsable(db, accountId, fields.keypairId))) {
    return unchanged({ outcome: 'keypair_not_found' });
  }
  const nowMs = clock.wallMs();
  const row = await db
    .insertInto('ssh_connections')
    .values({
      account_id: accountId,
      id: random.id(),
      label: checkText('label', fields.label),
      host: checkText('host', fields.host),
      port: fields.port,
      username: checkText('username', fields.username),
      keypair_id: fields.keypairId,
      ...noPin,
      ...noTest,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      deleted_at_ms: null,
      next_keypair_id: null,
      policy: 'ask',
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return unchanged({ outcome: 'label_exists' });
  await tellChanged(db, context, row.id);
  return changed({ outcome: 'created', connection: toRecord(row) }, row.id);
}

async function update(
  db: Database,
  context: AccountContext,
  {
    id,
    fields,
    nextKeys,
  }: {
    readonly id: string;
    readonly fields: Partial<ConnectionFields>;
    readonly nextKeys: NextConnectionKeys;
  },
) {
  const { accountId, clock } = context;
  const old = await whereConnection(db, accountId, id).executeTakeFirst();
  if (old === undefined) return unchanged({ outcome: 'not_found' });
  const {
    label = old.label,
    host = old.host,
    port = old.port,
    username = old.username,
    keypairId = old.keypair_id,
  } = fields;
  if (keypairId !== old.keypair_id && !(await isKeypairUsable(db, accountId, keypairId))) {
    return unchanged({ outcome: 'keypair_not_found' });
  }
  if (await isLabelTaken(db, accountId, { id, label })) {
    return unchanged({ outcome: 'label_exists' });
  }
  const isElsewhere = host !== old.host || port !== old.port;
  const isOtherLogin = isElsewhere || username !== old.username;
  const isOther = isOtherLogin || keypairId !== old.keypair_id;
  const row = await db
    .updateTable('ssh_connections')
    .set({
      label: checkText('label', label),
      host: checkText('host', host),
      port,
      username: checkText('username', username),
      ...rowOf(nextKeys(keysOf(old), { type: 'chosen', keypairId })),
      updated_at_ms: clock.wallMs(),
      ...(isElsewhere ? noPin : {}),
      ...(isOther ? noTest : {}),
      ...(isOtherLogin ? noPolicy : {}),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (keypairId !== old.keypair_id) await retireUnused(db, context);
  await tellChanged(db, context, id);
  return changed({ outcome: 'updated', connection: toRecord(row) }, id);
}

async function isLabelTaken(
  db: Database,
  accountId: AccountId,
  { id, label }: { readonly id: string; readonly label: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('ssh_connections')
    .select('id')
    .where('account_id', '=', accountId)
    .where('label', '=', label)
    .where('id', '!=', id)
    .where('deleted_at_ms', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

interface TestRecord {
  readonly id: string;
  readonly result: string;
  readonly latencyMs?: number;
  readonly cause?: string;
  readonly pin?: HostPin;
  readonly proven?: { readonly keypairId: string; readonly nextKeys: NextConnectionKeys };
  readonly seen?: Pick<Connection, 'host' | 'port' | 'username'>;
}

async function record(db: Database, context: AccountContext, input: TestRecord) {
  const { accountId, clock } = context;
  const { id, result, latencyMs, cause, pin, proven, seen } = input;
  const old = await whereConnection(db, accountId, id).executeTakeFirst();
  if (old === undefined || (seen !== undefined && !isSame(old, seen))) {
    return unchanged('not_found' as const);
  }
  const nowMs = clock.wallMs();
  const keys =
    proven === undefined
      ? {}
      : rowOf(proven.nextKeys(keysOf(old), { type: 'proven', keypairId: proven.keypairId }));
  await db
    .updateTable('ssh_connections')
    .set({
      tested_at_ms: nowMs,
      test_result: result,
      test_latency_ms: latencyMs ?? null,
      test_cause: cause ?? null,
      ...keys,
      ...(pin === undefined
        ? {}
        : { pin_key: pin.key, pin_fingerprint: pin.fingerprint, pinned_at_ms: nowMs }),
      ...(isOtherPin(old, pin) ? noPolicy : {}),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  if (proven !== undefined) await retireUnused(db, context);
  await writeNews(db, context, {
    events: [{ type: 'connection_tested', subjectId: id, payload: { result } }],
  });
  return changed('recorded' as const, id);
}

function isOtherPin(
  { pin_key: before }: Pick<SshConnectionsTable, 'pin_key'>,
  pin: HostPin | undefined,
): boolean {
  return pin !== undefined && before !== null && before !== pin.key;
}

async function setPolicy(
  db: Database,
  context: AccountContext,
  { id, policy }: { readonly id: string; readonly policy: Connection['policy'] },
) {
  const { accountId, clock } = context;
  const row = await db
    .updateTable('ssh_connections')
    .set({ policy, updated_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at_ms', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return unchanged(undefined);
  await tellChanged(db, context, id);
  return changed(toRecord(row), id);
}

function isSame(
  old: Pick<SshConnectionsTable, 'host' | 'port' | 'username'>,
  { host, port, username }: Pick<Connection, 'host' | 'port' | 'username'>,
): boolean {
  return old.host === host && old.port === port && old.username === username;
}

async function remove(db: Database, context: AccountContext, id: string) {
  const { accountId, clock } = context;
  const open = await db
    .selectFrom('session_leases')
    .select('id')
    .where('account_id', '=', accountId)
    .where('connection_id', '=', id)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirst();
  if (open !== undefined) return unchanged('active_session_exists' as const);
  const { numUpdatedRows } = await db
    .updateTable('ssh_connections')
    .set({ deleted_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at_ms', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return unchanged('not_found' as const);
  await forgetOffered(db, accountId, id);
  await retireUnused(db, context);
  await tellChanged(db, context, id);
  return changed('removed' as const, id);
}

/** What it is now is asked for. */
async function tellChanged(db: Database, context: AccountContext, id: string): Promise<void> {
  await writeNews(db, context, { events: [{ type: 'connection_changed', subjectId: id }] });
}
