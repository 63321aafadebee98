/*
 * An answer to what an agent asks, with the frame that carries it (X4). Fenced by the ask's own state and not by an epoch, so that
 * anyone who may answer can do so, with a gateway or without.
 */
import type { ThreadAudit } from '../ports.ts';
import type { AskAnswer, AskRow, ThreadChange, ThreadRows } from '../rows.ts';
import { isObject, type Json } from '../wire/json-rpc.ts';
import { answerText } from './answer-text.ts';
import { Draft } from './draft.ts';
import { eventTypeOf } from './take-request.ts';

export type AnswerRefusal = 'ask-not-found' | 'ask-decided' | 'option-not-offered' | 'answer-unfit';

export type AnswerStep =
  | { readonly outcome: 'answered'; readonly change: ThreadChange }
  | { readonly outcome: AnswerRefusal };

export interface AskReply {
  readonly askId: string;
  readonly answer: AskAnswer;
  readonly actor: string;
}

export function answerAsk(
  rows: ThreadRows,
  { askId, answer, actor }: AskReply,
  atMs: number,
): AnswerStep {
  const ask = rows.asks.get(askId);
  if (ask === undefined) return { outcome: 'ask-not-found' };
  const isOfLivingRun = rows.run?.runId === ask.runId && rows.run.state === 'open';
  if (ask.state !== 'open' || !isOfLivingRun) return { outcome: 'ask-decided' };
  if (ask.class !== 'question') {
    if (answer.kind === 'accept' || answer.kind === 'decline') return { outcome: 'answer-unfit' };
    // W7: what counts is the option itself, and only one that was offered.
    const isOffered = answer.kind === 'cancel' || optionIds(ask).includes(answer.optionId);
    if (!isOffered) return { outcome: 'option-not-offered' };
  } else if (answer.kind === 'option') return { outcome: 'answer-unfit' };
  const draft = new Draft(rows, atMs);
  // What a person allows on a host is done by the owner of the agent; what it asked for is answered then.
  const isToBeDone = ask.class === 'effect' && isAllowed(answer);
  if (!isToBeDone) draft.frame(answerText(ask, answer));
  const state = isToBeDone ? 'acting' : 'answered';
  draft.asks.set(ask.id, { ...ask, state, decision: { answer, actor, atMs } });
  draft.event(
    eventTypeOf(ask),
    {
      ask: ask.id,
      state: 'answered',
      answer: { ...answer },
      answerKind: answerKindOf(ask, answer),
      actor,
    },
    { turnId: ask.turnId },
  );
  return { outcome: 'answered', change: draft.done() };
}

/* For the audit log: what was asked and chosen, and nothing that was said. */
export function answerAudit(
  { ask, answer }: { readonly ask: AskRow & { readonly threadId: string }; answer: AskAnswer },
  by: Pick<ThreadAudit, 'actor' | 'ip' | 'traceId'>,
): ThreadAudit {
  const option = answer.kind === 'option' ? { option: answer.optionId } : {};
  const detail = { thread: ask.threadId, class: ask.class, answer: answer.kind, ...option };
  return { action: 'ask.answer', ...by, target: ask.id, detail };
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/* What was offered, without what is not an option. */
function permissionOptions(params: { readonly [key: string]: Json | undefined }) {
  const { options } = params;
  return (Array.isArray(options) ? options : []).filter(isObject).flatMap((option) => {
    const { optionId, name, kind } = option;
    if (typeof optionId !== 'string') return [];
    const shown: PermissionOption = {
      optionId,
      name: typeof name === 'string' ? name : optionId,
      kind: typeof kind === 'string' ? kind : 'other',
    };
    return [shown];
  });
}

/* An agent offers none for what it wants done on its host: these are ours. */
const effectOptions: readonly PermissionOption[] = [
  { optionId: 'allow-once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject-once', name: 'Refuse', kind: 'reject_once' },
];

function isAllowed(answer: AskAnswer): boolean {
  return answer.kind === 'option' && answer.optionId === 'allow-once';
}

export function optionsOf({ class: askClass, params }: Pick<AskRow, 'class' | 'params'>) {
  return askClass === 'effect' ? effectOptions : permissionOptions(params);
}

/* What an answer comes to, whatever the agent calls its options: an id says nothing to those who read of it later. */
export const answerKinds = [
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
  /* An option of a kind that is not known here. */
  'other',
  'accept',
  'decline',
  'cancel',
] as const;
export type AnswerKind = (typeof answerKinds)[number];

export function answerKindOf(ask: Pick<AskRow, 'class' | 'params'>, answer: AskAnswer): AnswerKind {
  if (answer.kind !== 'option') return answer.kind;
  const taken = optionsOf(ask).find(({ optionId }) => optionId === answer.optionId);
  // What an agent calls a kind may be anything, also one of those that are no option's.
  return optionKinds.find((kind) => kind === taken?.kind) ?? 'other';
}

const optionKinds = answerKinds.slice(0, answerKinds.indexOf('other'));

function optionIds(ask: AskRow): readonly string[] {
  return optionsOf(ask).map(({ optionId }) => optionId);
}
