/*
 * For `clf approvals -f`: what agents ask, as it comes and goes.
 */
import { formatBlock } from '../approvals/approval-text.ts';
import { shortApprovalChars } from '../approvals/find-approval.ts';
import type { CommandContext } from '../command.ts';
import { jsonLine } from '../render/run-json.ts';
import type { AskDesk } from './ask-desk.ts';
import { askBlock, formatAskEnd } from './ask-text.ts';
import { askJson } from './thread-json.ts';
import type { Ask } from './thread-types.ts';

export interface AskNews {
  /* Undefined: nothing is asked now. */
  readonly open: () => Promise<AskDesk | undefined>;
  /* Asks, and perhaps again. */
  readonly read: <Answer>(ask: () => Promise<Answer>, signal: AbortSignal) => Promise<Answer>;
  readonly flag: string;
  /* That were listed already. */
  readonly listed: readonly Ask[];
}

/* Shows what has come and what has gone since the last look. */
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
  const showEnd = async (desk: AskDesk, id: string, signal: AbortSignal): Promise<void> => {
    const ask = await read(() => desk.get(id, signal), signal);
    if (ask === undefined) return;
    if (isJson) return io.stdout.write(jsonLine(askJson(ask)));
    const short = paint.strong(id.slice(0, shortApprovalChars));
    await io.stdout.write(`${short} ${formatAskEnd(ask) ?? 'is over'}\n`);
  };
  return async (signal) => {
    const desk = await open();
    if (desk === undefined) return;
    const waiting = await read(() => desk.list(signal), signal);
    for (const id of known) {
      if (waiting.some((ask) => ask.id === id)) continue;
      known.delete(id);
      await showEnd(desk, id, signal);
    }
    for (const ask of waiting) {
      if (known.has(ask.id)) continue;
      known.add(ask.id);
      await showAsked(ask);
    }
  };
}
