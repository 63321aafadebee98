/*
 * What agents ask, in the commands about approvals: listed with `clf approvals`, answered with `clf allow` and `clf deny`.
 */
import { type Client, RefusedError } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import { formatBlock } from '../approvals/approval-text.ts';
import { shortApprovalChars } from '../approvals/find-approval.ts';
import type { CommandContext } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { jsonLine } from '../render/run-json.ts';
import { askBlock, formatAskEnd } from './ask-text.ts';
import { chooseOption, type OptionWish } from './choose-option.ts';
import { askJson } from './thread-json.ts';
import type { Ask } from './thread-types.ts';

/* Oldest first. */
export async function readAsks(client: Client, signal?: AbortSignal): Promise<readonly Ask[]> {
  return (await client.asks.list({}, signal === undefined ? {} : { signal })).items;
}

export interface AskDecisionWish extends OptionWish {
  readonly reason?: string | undefined;
}

/* Answers it, and says so. */
export async function answerAsk(
  { io, isJson }: CommandContext,
  client: Client,
  { ask, wish }: { readonly ask: Ask; readonly wish: AskDecisionWish },
): Promise<void> {
  const params = { id: ask.id };
  const chosen = ask.class === 'question' ? undefined : chooseOption(ask, wish);
  if (chosen === undefined && wish.decision !== 'deny') throw isQuestion(ask, wish.flag);
  const body = chosen === undefined ? ({ action: 'decline' } as const) : optionBody(chosen);
  const answered = await client.asks.answer({ params, body }).catch((error: unknown) => {
    throw isDecided(error) ? decidedError(ask) : error;
  });
  if (isJson) return io.stdout.write(jsonLine(askJson(answered)));
  const how = chosen === undefined ? 'declined' : `answered "${makeVisible(chosen.name)}"`;
  await io.stdout.write(`${ask.id} ${how}: ${makeVisible(ask.title)}\n`);
  if (wish.reason !== undefined) {
    await io.stderr.write('clf: the agent is not told the reason: its question takes none\n');
  }
}

function optionBody({ option_id: id }: { readonly option_id: string }) {
  return { option_id: id };
}

function isDecided(error: unknown): boolean {
  return error instanceof RefusedError && error.refusal.code === 'already_decided';
}

function decidedError({ id }: Ask): CliError {
  return new CliError('approval-decided', `${id} was answered before, or waits no longer`, {
    detail: { approvalId: id },
  });
}

function isQuestion({ id, title }: Ask, flag: string): CliError {
  return usageError(
    `${id} is a question, which is not answered by allowing it: ${makeVisible(title)}`,
    `Answer it in the app, or decline it: clf deny${flag} ${id}`,
  );
}

export interface AskNews {
  /* Undefined: there is nobody to ask now. */
  readonly open: () => Promise<Client | undefined>;
  /* Asks, and perhaps again. */
  readonly read: <Answer>(ask: () => Promise<Answer>, signal: AbortSignal) => Promise<Answer>;
  readonly flag: string;
  /* That were listed already. */
  readonly listed: readonly Ask[];
}

/* For `clf approvals -f`: what has come and what has gone since the last look. */
export function createAskNews(
  context: CommandContext,
  { open, read, flag, listed }: AskNews,
): (signal: AbortSignal) => Promise<void> {
  const { io, isJson, paint, clock } = context;
  const known = new Set(listed.map(({ id }) => id));
  const showAsked = async (ask: Ask): Promise<void> => {
    if (isJson) return io.stdout.write(jsonLine(askJson(ask)));
    const layout = { paint, nowMs: clock.wallMs(), isAll: false, ownAccounts: [] };
    const block = formatBlock(askBlock(ask, { ...layout, columnsMax: io.columns() }));
    const id = ask.id.slice(0, shortApprovalChars);
    await io.stdout.write(
      `${block}${paint.dim(`  clf allow${flag} ${id}, or clf deny${flag} ${id}\n`)}`,
    );
  };
  const showEnd = async (client: Client, id: string, signal: AbortSignal): Promise<void> => {
    const get = () => client.asks.get({ params: { id } }, { signal });
    const ask = await read(get, signal).catch((error: unknown) => {
      // It was forgotten in the meantime.
      if (error instanceof RefusedError && error.refusal.code === 'not_found') return undefined;
      throw error;
    });
    if (ask === undefined) return;
    if (isJson) return io.stdout.write(jsonLine(askJson(ask)));
    const short = paint.strong(id.slice(0, shortApprovalChars));
    await io.stdout.write(`${short} ${formatAskEnd(ask) ?? 'is over'}\n`);
  };
  return async (signal) => {
    const client = await open();
    if (client === undefined) return;
    const waiting = await read(() => readAsks(client, signal), signal);
    for (const id of known) {
      if (waiting.some((ask) => ask.id === id)) continue;
      known.delete(id);
      await showEnd(client, id, signal);
    }
    for (const ask of waiting) {
      if (known.has(ask.id)) continue;
      known.add(ask.id);
      await showAsked(ask);
    }
  };
}
