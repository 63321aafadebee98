/*
 * SSH connections over HTTP. What goes out to a host, probe and test, is in connection-checks.ts.
 */
import type { Api } from '@clawdfather/protocol/api';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import type { AccountQueries, ConnectionFields } from '@clawdfather/store';
import type { Hosts } from '../hosts/open-hosts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { auditOf, type Handlers } from '../http/handlers.ts';
import { listOpenSessions } from '../sessions/list-open-sessions.ts';
import { type ConnectionChecksParts, createConnectionChecks } from './connection-checks.ts';
import { showConnection as show } from './show-connection.ts';

interface BodyFields {
  readonly label?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly username?: string | undefined;
  readonly keypair_id?: string | undefined;
}

interface ConnectionsParts extends ConnectionChecksParts {
  readonly hosts: Pick<Hosts, 'checks' | 'connectionRemoved' | 'policyChanged'>;
}

export function createConnectionsHandlers(parts: ConnectionsParts): Handlers<Api['connections']> {
  const { store, hosts } = parts;
  return {
    ...createConnectionChecks(parts),
    list: async ({ caller, query }) => {
      const { items, total } = await store.forAccount(caller.accountId).connections.list(query);
      return { items: items.map(show), total, ...query };
    },
    get: async ({ caller, params }) => {
      const connection = await store.forAccount(caller.accountId).connections.get(params.id);
      if (connection === undefined) throw notFound();
      return { connection: show(connection) };
    },
    create: async (call) => {
      const { keypair_id: keypairId, ...fields } = call.body;
      const created = await store.forAccount(call.caller.accountId).connections.create({
        fields: { ...fields, keypairId },
        audit: auditOf(call, 'connection.create'),
      });
      if (created.outcome === 'keypair_not_found') throw noSuchKey();
      if (created.outcome !== 'created') throw new ApiError(created.outcome);
      return { connection: show(created.connection) };
    },
    update: async (call) => {
      const { id } = call.params;
      const fields = fieldsOf(call.body);
      const updated = await store.forAccount(call.caller.accountId).transaction(async (queries) => {
        await refuseWhileInUse(queries, id, fields);
        return queries.connections.update({
          id,
          fields,
          nextKeys,
          audit: auditOf(call, 'connection.update', { changed: Object.keys(call.body) }),
        });
      });
      if (updated.outcome === 'not_found') throw notFound();
      if (updated.outcome === 'keypair_not_found') throw noSuchKey();
      if (updated.outcome !== 'updated') throw new ApiError(updated.outcome);
      return { connection: show(updated.connection) };
    },
    setPolicy: async (call) => {
      const { policy } = call.body;
      const audit = auditOf(call, 'connection.policy', { policy });
      const { connections } = store.forAccount(call.caller.accountId);
      const connection = await connections.setPolicy({ id: call.params.id, policy, audit });
      if (connection === undefined) throw notFound();
      await parts.hosts.policyChanged(call.caller.accountId, connection);
      return { connection: show(connection) };
    },
    remove: async (call) => {
      const { id } = call.params;
      const audit = auditOf(call, 'connection.delete');
      const outcome = await store
        .forAccount(call.caller.accountId)
        .connections.remove({ id, audit });
      if (outcome === 'not_found') throw notFound();
      if (outcome !== 'removed') throw new ApiError(outcome);
      await hosts.connectionRemoved();
      return undefined;
    },
  };
}

/* A session stands on where its connection went to when it started; only the label may change under it. */
async function refuseWhileInUse(
  queries: AccountQueries,
  id: string,
  { label: _label, ...where }: Partial<ConnectionFields>,
): Promise<void> {
  if (Object.keys(where).length === 0) return;
  const open = await listOpenSessions(queries);
  if (open.some(({ connectionId }) => connectionId === id)) {
    throw new ApiError('active_session_exists');
  }
}

function fieldsOf({ keypair_id: keypairId, ...rest }: BodyFields): Partial<ConnectionFields> {
  const given = Object.entries({ ...rest, keypairId }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/* A field of the request names it, so the request is wrong; a foreign key reads the same as none. */
function noSuchKey(): ApiError {
  return new ApiError('validation_error', 'keypair_id: is no key of yours in use', {
    detail: { issues: [{ path: 'keypair_id', message: 'is no key of yours in use' }] },
  });
}
