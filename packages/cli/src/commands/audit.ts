/*
 * `clf audit`: the account's audit log, oldest of the newest first, and with `-f` on from there.
 *
 * Entries are numbered without gaps, so following is asking for the newest and going back to the last one that was shown:
 * nothing is missed, however long the connection was gone.
 */
import { hasCode } from '@clawdfather/kit';
import { auditActions } from '@clawdfather/protocol/api';
import type { Client } from '@clawdfather/sdk';
import type { CallOf, CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withGateway } from '../sign-in/open-client.ts';
import { listenForLeave } from '../io/leave-signals.ts';
import { listAnswers } from '../place/gateway/list-runs.ts';
import { runOf } from '../place/gateway/run-of-answer.ts';
import type { RunQuery } from '../place/place.ts';
import { formatInstant } from '../render/duration.ts';
import { findRun } from '../runs/find-run.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { formatAuditEntry, happenedAt } from '../render/audit-text.ts';
import { makeVisible } from '@clawdfather/tools/text';
import type { auditSpec } from './sign-in-specs.ts';

interface Entry extends Readonly<Awaited<ReturnType<Client['audit']['list']>>['entries'][number]> {
  /* Of the device or token that did it, where the gateway tells it. */
  readonly called: string | undefined;
}

const entriesUsual = 20;
const entriesMax = 10_000;
const pageMax = 100;
/* A person who watches does not see the difference. */
const lookEveryMs = 1_000;

export async function execute(context: CallOf<typeof auditSpec>): Promise<ExitStatus> {
  const { flags, io } = context;
  const { limit = entriesUsual } = flags;
  return withGateway(context, async ({ client }) => {
    const target = await targetOf(client, context.operands.run);
    const first = await readBack(client, context, { limit, after: 0, target });
    await show(context, first);
    if (first.length === 0 && !context.isJson) await io.stderr.write(nothingText(context));
    if (!flags.follow) return codeStatus(exitOk);
    using leave = listenForLeave(io);
    let last = first.at(-1)?.seq ?? 0;
    while (await isStill(context, leave.signal)) {
      const more = await readBack(client, context, { limit: entriesMax, after: last, target });
      await show(context, more);
      last = more.at(-1)?.seq ?? last;
    }
    return codeStatus(exitOk);
  });
}

async function isStill({ clock }: CommandContext, signal: AbortSignal): Promise<boolean> {
  await clock.sleep(lookEveryMs, signal).catch(() => {});
  return !signal.aborted;
}

interface Wanted {
  readonly limit: number;
  readonly after: number;
  readonly target: string | undefined;
}

/* What is typed is a run that is known, or the whole id of something else: of a run that was removed, of an approval. */
async function targetOf(client: Client, typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined) return undefined;
  const list = async (query: RunQuery) => (await listAnswers(client, query)).map(runOf);
  try {
    return (await findRun({ list, flag: '' }, typed)).runId;
  } catch (error) {
    if (!hasCode(error, 'run-not-found')) throw error;
    return typed;
  }
}

function nothingText({ flags: { action } }: CallOf<typeof auditSpec>): string {
  const nothing = 'clf: nothing of that kind\n';
  if (action === undefined || (auditActions as readonly string[]).includes(action)) return nothing;
  return `${nothing}  No action is called "${makeVisible(action)}" here. Known: ${auditActions.join(', ')}.\n`;
}

/* Oldest first. */
async function readBack(
  client: Client,
  { flags }: CallOf<typeof auditSpec>,
  { limit, after, target }: Wanted,
): Promise<Entry[]> {
  const { action } = flags;
  const found: Entry[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await client.audit.list({
      query: {
        limit: Math.min(pageMax, limit - found.length),
        ...(before === undefined ? {} : { before }),
        ...(action === undefined ? {} : { action }),
        ...(target === undefined ? {} : { target }),
      },
    });
    const fresh = page.entries.filter(({ seq }) => seq > after);
    const { names = {} } = page;
    found.push(...fresh.map((entry) => ({ ...entry, called: names[entry.actor] })));
    const isDone = fresh.length < page.entries.length || !page.has_more || found.length >= limit;
    if (isDone || page.next_before === null) return found.reverse();
    before = page.next_before;
  }
}

async function show(
  { io, isJson, paint }: CommandContext,
  entries: readonly Entry[],
): Promise<void> {
  for (const entry of entries) {
    const { seq, at, action, actor, target, ip, trace_id: traceId, detail } = entry;
    if (isJson) {
      const json = { seq, at, action, actor, target, ip, traceId, detail: detail as Json };
      await io.stdout.write(jsonLine(json));
      continue;
    }
    const time = formatInstant(Date.parse(happenedAt(entry)));
    const { called } = entry;
    const named = called === undefined ? detail : { who: called, ...detail };
    const words = formatAuditEntry({ ...entry, detail: named });
    await io.stdout.write(`${paint.dim(time)} ${paint.strong(makeVisible(action))} ${words}\n`);
  }
}
