/*
 * `clf session ls | start | close`: stretches of work on a host, which commands share a connection in.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { findHost, type Session } from '../hosts/find-one.ts';
import { withHosts } from '../hosts/with-hosts.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { formatAge } from '../render/duration.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import type { sessionCloseSpec, sessionListSpec, sessionStartSpec } from './host-specs.ts';

const closedMax = 100;

export const list: Execute<typeof sessionListSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, paint, clock } = context;
    const sessions = context.flags.all
      ? await allPages((query) => client.sessions.list({ query }), closedMax)
      : await readOpen(client);
    if (context.isJson) {
      for (const session of sessions) await io.stdout.write(jsonLine(sessionJson(session)));
    } else if (sessions.length === 0) {
      await io.stdout.write('No open sessions. Start one: clf session start HOST\n');
    } else {
      const nowMs = clock.wallMs();
      const rows = sessions.map((session) => [
        { text: session.id, paint: paint.strong },
        { text: makeVisible(placeOf(session)) },
        { text: session.close_reason ?? session.status },
        { text: formatAge(nowMs, Date.parse(session.created_at)) },
        { text: formatAge(nowMs, Date.parse(session.last_seen_at)) },
      ]);
      const headers = ['ID', 'HOST', 'STATUS', 'AGE', 'SEEN'];
      const layout = { headers, paintHeader: paint.dim, columnsMax: io.columns() };
      await io.stdout.write(formatTable(layout, rows));
    }
    return codeStatus(exitOk);
  });

export const start: Execute<typeof sessionStartSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io, random } = context;
    const { host: typed } = context.operands;
    const connectionId = typed === undefined ? null : (await findHost(client, typed)).id;
    const { session } = await client.sessions.create(
      { body: { connection_id: connectionId } },
      { idempotencyKey: random.id() },
    );
    await io.stdout.write(context.isJson ? jsonLine(sessionJson(session)) : `${session.id}\n`);
    return codeStatus(exitOk);
  });

export const close: Execute<typeof sessionCloseSpec> = (context) =>
  withHosts(context, async ({ client }) => {
    const { io } = context;
    const found = pickSession(await readOpen(client), context.operands.session);
    const { session } = await client.sessions.close({ params: { id: found.id } });
    await io.stdout.write(
      context.isJson
        ? jsonLine(sessionJson(session))
        : `Session ${session.id} on ${makeVisible(placeOf(session))} is closed.\n`,
    );
    return codeStatus(exitOk);
  });

async function readOpen(client: Client): Promise<Session[]> {
  const active = await allPages((query) =>
    client.sessions.list({ query: { ...query, status: 'active' } }),
  );
  const pending = await allPages((query) =>
    client.sessions.list({ query: { ...query, status: 'pending' } }),
  );
  return [...active, ...pending];
}

function pickSession(sessions: readonly Session[], typed: string): Session {
  const byHost = sessions.filter(({ connection }) => connection?.label === typed);
  const found = byHost.length > 0 ? byHost : sessions.filter(({ id }) => id.startsWith(typed));
  const [one, ...others] = typed === '' ? [] : found;
  if (one !== undefined && others.length === 0) return one;
  const word = `"${makeVisible(typed)}"`;
  const message =
    one === undefined
      ? `no open session has the id or the host ${word}`
      : `several open sessions have the id or the host ${word}`;
  throw new CliError('session-not-found', message, {
    hint: one === undefined ? 'All of them: clf session ls' : 'Name one by its id: clf session ls',
    detail: { typed },
  });
}

function placeOf({ connection }: Session): string {
  return connection?.label ?? "the gateway's machine";
}

function sessionJson(session: Session): Json {
  return {
    id: session.id,
    status: session.status,
    host: session.connection?.label ?? null,
    agent: session.agent,
    createdAt: session.created_at,
    startedAt: session.started_at,
    lastSeenAt: session.last_seen_at,
    closedAt: session.closed_at,
    closeReason: session.close_reason,
    error: session.error,
  };
}
