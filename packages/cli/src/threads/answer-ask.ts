/*
 * An answer to what an agent asks, with `clf allow` and `clf deny`.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext } from '../command.ts';
import { type CliError, usageError } from '../errors.ts';
import { jsonLine } from '../render/run-json.ts';
import type { AskDesk } from './ask-desk.ts';
import { chooseOption, type OptionWish } from './choose-option.ts';
import { askJson } from './thread-json.ts';
import type { Ask } from './thread-types.ts';

export interface AskDecisionWish extends OptionWish {
  readonly reason?: string | undefined;
}

/* Answers it, and says so. */
export async function answerAsk(
  { io, isJson }: Pick<CommandContext, 'io' | 'isJson'>,
  desk: AskDesk,
  { ask, wish }: { readonly ask: Ask; readonly wish: AskDecisionWish },
): Promise<void> {
  const chosen = ask.class === 'question' ? undefined : chooseOption(ask, wish);
  if (chosen === undefined && wish.decision !== 'deny') throw isQuestion(ask, wish.flag);
  // Of what was read: if it has become something else meanwhile, it is not answered.
  const { digest } = ask;
  const body =
    chosen === undefined
      ? ({ action: 'decline', digest } as const)
      : { option_id: chosen.option_id, digest };
  const { ask: answered, undelivered } = await desk.answer(ask, body);
  if (undelivered !== undefined) {
    await io.stderr.write(
      `clf: the agent may not have the answer yet (${makeVisible(undelivered)}); the next gateway delivers it: clf serve\n`,
    );
  }
  if (isJson) return io.stdout.write(jsonLine(askJson(answered)));
  const how = chosen === undefined ? 'declined' : `answered "${makeVisible(chosen.name)}"`;
  await io.stdout.write(`${ask.id} ${how}: ${makeVisible(ask.title)}\n`);
  if (wish.reason !== undefined) {
    await io.stderr.write('clf: the agent is not told the reason: its question takes none\n');
  }
}

function isQuestion({ id, title, thread_id: thread }: Ask, flag: string): CliError {
  return usageError(
    `${id} is a question, which is not answered by allowing it: ${makeVisible(title)}`,
    `Answer it at a terminal, at a gateway: clf threads follow${flag} ${thread}. Or decline it: clf deny${flag} ${id}`,
  );
}
