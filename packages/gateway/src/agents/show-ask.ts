/*
 * What an agent asks, as the API shows it, and an answer as the API takes it. The command line shows the same without a gateway.
 */
import { createHash } from 'node:crypto';
import type { AskAnswer, AskRow } from '@clawdfather/agents';
import { answerKindOf, optionsOf } from '@clawdfather/agents/asks';
import type { AnswerOf, Api, RequestOf } from '@clawdfather/protocol/api';
import { canonicalJson } from '@clawdfather/protocol/history';
import { makeVisible } from '@clawdfather/tools/text';
import { formatTime } from '../http/format-time.ts';

export type ShownAsk = AnswerOf<Api['asks']['get']>;
export type AskBody = RequestOf<Api['asks']['answer']>['body'];

export function showAsk(ask: AskRow & { readonly threadId: string }, agent: string): ShownAsk {
  const { decision } = ask;
  return {
    id: ask.id,
    thread_id: ask.threadId,
    turn_id: ask.turnId ?? null,
    agent,
    class: ask.class,
    state: ask.state,
    title: titleOf(ask),
    options: optionsOf(ask).map(({ optionId, name, kind }) => ({
      option_id: optionId,
      name,
      kind,
    })),
    params: ask.params,
    digest: digestOf(ask),
    asked_at: formatTime(ask.askedAtMs),
    decided_by: decision?.actor ?? null,
    decided_at: formatTime(decision?.atMs),
    answer_kind: decision === undefined ? null : answerKindOf(ask, decision.answer),
  };
}

/* A command to run on the host, or a file to write there. */
function effectTitle({ command, args, path }: AskRow['params']): string {
  if (typeof path === 'string') return `write ${path}`;
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return `run ${words.join(' ')}`.slice(0, 500);
}

/* What is asked, in one line, with hidden characters made visible. Codex gives its requests no title. */
function titleOf({ params, class: askClass }: AskRow): string {
  const { message, toolCall } = params;
  if (askClass === 'question') return typeof message === 'string' ? makeVisible(message) : '';
  if (askClass === 'effect') return makeVisible(effectTitle(params));
  const { title, rawInput } = (toolCall ?? {}) as { title?: unknown; rawInput?: unknown };
  if (typeof title === 'string' && title !== '') return makeVisible(title);
  return rawInput === undefined ? '' : makeVisible(JSON.stringify(rawInput).slice(0, 500));
}

/* Of what is asked, as the agent sent it: that is what is shown, and what it does when it is allowed. It never changes. */
export function digestOf({ id, class: askClass, params }: AskRow): string {
  return createHash('sha256')
    .update(canonicalJson({ id, class: askClass, params }))
    .digest('hex');
}

export function answerOf(body: AskBody): AskAnswer {
  if ('option_id' in body) return { kind: 'option', optionId: body.option_id };
  if ('content' in body) return { kind: 'accept', content: body.content };
  return { kind: body.action };
}
