/*
 * What a person has chosen for an agent (its mode, its model) is set in the agent's session before a prompt goes there, whichever process
 * answers by then: what was chosen is a row of the thread, and what the session has is known from the agent's own answers (W16).
 *
 * One value is set at a time, and its call is stored with what it is for, so a gateway that is lost in between goes on with the answer (W8).
 * To set a value again is harmless. What is to be done next is found out anew after each answer (choices/judge-wish.ts), so what a person
 * chooses meanwhile comes next. Each value is tried once per turn.
 *
 * What cannot be set ends the turn without a prompt where it may decide what the agent does unasked, such as a mode: it stays chosen, and
 * people are told. A model, or how long the agent thinks, is not worth a turn: people are told, it is not chosen any more, and the prompt
 * goes out.
 */
import { type Choice, chosenMax, findChoice, mayLimit } from '../choices/choice.ts';
import { isStuck, judgeWish, type Wish, wishesOf } from '../choices/judge-wish.ts';
import { nextSetting, type SettingEvent } from '../choices/next-setting.ts';
import type { AgentRunRow, CallRow, ThreadChange, ThreadRows, TurnRow } from '../rows.ts';
import { isObject, type RpcMessage } from '../wire/json-rpc.ts';
import { Draft } from './draft.ts';
import {
  forgetTried,
  isWanted,
  keepAndTell,
  keepChoices,
  setChosen,
  shownValue,
  takenChoices,
} from './kept-choices.ts';

type Answer = Extract<RpcMessage, { kind: 'result' | 'error' }>;

const methods = {
  mode: 'session/set_mode',
  model: 'session/set_model',
  option: 'session/set_config_option',
} as const;

export function isChoosing({ method }: Pick<CallRow, 'method'>): boolean {
  return Object.values<string>(methods).includes(method);
}

type Named = Pick<Choice, 'id' | 'name' | 'category'>;

/* Null: it is not chosen any more. */
export interface Choosing {
  readonly chosen: Readonly<Record<string, string | null>>;
  readonly actor: string;
}

/* Before the next prompt it is set. Undefined: it was chosen before. */
export function chooseValues(
  rows: ThreadRows,
  choosing: Choosing,
  atMs: number,
): ThreadChange | undefined {
  const draft = new Draft(rows, atMs);
  return chooseIn(draft, choosing) ? draft.done() : undefined;
}

/* False: it was chosen before. */
export function chooseIn(draft: Draft, { chosen, actor }: Choosing): boolean {
  const known = draft.run?.choices ?? [];
  const offered = [...(draft.thread.currentChoices ?? []), ...known];
  const idOf = (key: string): string => findChoice(offered, key)?.id ?? key;
  let next: readonly (readonly [string, string])[] = Object.entries(draft.thread.chosen ?? {});
  let hasChanged = false;
  for (const [key, value] of Object.entries(chosen)) {
    // By its id and by its category it is the same choice.
    const id = idOf(key);
    const others = next.filter(([other]) => idOf(other) !== id);
    const same = next.filter(([other]) => idOf(other) === id);
    const wanted = value === null ? [] : [[key, value] as const];
    const isSo =
      same.length === wanted.length && same.every(([one, set]) => one === key && set === value);
    if (isSo) continue;
    hasChanged = true;
    next = [...others, ...wanted];
    forgetTried(draft, id);
    const name = findChoice(offered, key)?.name ?? key;
    const to = value === null ? 'the agent’s own choice' : shownValue(known, key, value);
    const message = `${name}: ${to}, from the next turn on.`;
    draft.event('status', { event: 'chosen', choice: key, value, actor, message });
  }
  // The newest: more is a fault of a client.
  if (hasChanged) setChosen(draft, Object.fromEntries(next.slice(-chosenMax)));
  return hasChanged;
}

/* Before a prompt. True: the session has all that was chosen. False: an answer is waited for, or the turn has failed. */
export function setChosenValues(draft: Draft): boolean {
  const { turn } = draft;
  const { setting, choices = [] } = draft.changeRun({});
  if (turn === undefined) return true;
  if (setting?.call !== undefined) return false;
  const standing = { turnId: turn.id, choices, setting };
  for (const wish of wishesOf(draft.thread.chosen, standing)) {
    const judged = judgeWish(wish, standing);
    if (judged.verdict === 'is-set') continue;
    if (judged.verdict === 'to-set') {
      tell(draft, turn, judged);
      return false;
    }
    if (giveUp(draft, wish, { why: judged.why, choices })) continue;
    if (isStuck(wish, standing)) replaceProcess(draft);
    return false;
  }
  step(draft, { type: 'prompted' });
  return true;
}

/* Of the next one everything is known: what it was told is over with this one. */
function replaceProcess(draft: Draft): void {
  const closing = { reason: 'choice-unanswered', actor: 'gateway', discards: false };
  draft.changeRun({ state: 'closing', closing: { ...closing, atMs: draft.atMs } });
}

function step(draft: Draft, event: SettingEvent): void {
  const { setting } = draft.changeRun({});
  const next = nextSetting(setting, event);
  if (next !== setting) draft.changeRun({ setting: next });
}

function tell(
  draft: Draft,
  { id: turnId }: TurnRow,
  { choice, value }: { readonly choice: Choice; readonly value: string },
): void {
  const { id: choiceId, way } = choice;
  const { nativeSessionId: sessionId } = draft.thread;
  const params = {
    mode: { modeId: value },
    model: { modelId: value },
    option: { configId: choiceId, value },
  }[way];
  const { id: callId } = draft.call(methods[way], { sessionId, ...params }, turnId);
  const call = { choiceId, value, callId, atMs: draft.atMs };
  step(draft, { type: 'told', turnId, call });
}

/* The answer to one of these calls. */
export function choiceAnswered(
  draft: Draft,
  {
    call,
    answer,
    atMs,
  }: { readonly call: CallRow; readonly answer: Answer; readonly atMs: number },
): void {
  const { setting, choices = [] } = draft.changeRun({});
  const told = setting?.call;
  if (told?.callId !== call.id) return;
  const turnId = draft.turn?.id;
  if (answer.kind === 'error') {
    step(draft, { type: 'answered', turnId, why: shortened(answer.error.message) });
    return;
  }
  const result = isObject(answer.result) ? answer.result : {};
  const after = takenChoices(choices, result, told);
  const isTaken = findChoice(after, told.choiceId)?.current === told.value;
  const why = isTaken ? {} : { why: 'the agent took another value' };
  // What was chosen is what people expect.
  if (isWanted(draft, told, after)) keepChoices(draft, after);
  else keepAndTell(draft, after, { why: '', atMs });
  step(draft, { type: 'answered', turnId, ...why });
}

/* The answer to a call that was given up: what was set is so from now on. False: it is no such answer. */
export function lateChoiceAnswered(draft: Draft, answer: Answer, atMs: number): boolean {
  const { setting, choices = [] } = draft.changeRun({});
  const told = setting?.late?.find(({ callId }) => callId === answer.id);
  if (told === undefined) return false;
  step(draft, { type: 'late-answered', callId: told.callId });
  if (answer.kind === 'error') return true;
  const result = isObject(answer.result) ? answer.result : {};
  const why = ': the agent has answered late';
  keepAndTell(draft, takenChoices(choices, result, told), { why, atMs });
  return true;
}

/* It takes too long: nobody waits for it any more (advance.ts). Undefined: it was answered, or the agent is another one. */
export function abandonSetting(rows: ThreadRows, callId: number, atMs: number): Draft | undefined {
  const call = rows.calls.get(callId);
  if (rows.run?.setting?.call?.callId !== callId || call === undefined) return undefined;
  const draft = new Draft(rows, atMs);
  draft.calls.set(callId, { ...call, state: 'abandoned' });
  step(draft, { type: 'given-up', turnId: draft.turn?.id, why: 'the agent did not answer' });
  return draft;
}

/*
 * Its process has ended by itself while it was told. What is still wanted is given up, or the turn has failed: the next process would be
 * lost in the same way.
 */
export function giveUpAfterEnd(draft: Draft, { choices = [], setting }: AgentRunRow): void {
  const { turn } = draft;
  const told = setting?.call;
  if (turn === undefined || told === undefined) return;
  const why = 'the agent ended when it was told so';
  const turnId = turn.id;
  const after = nextSetting(setting, { type: 'answered', turnId, why });
  const standing = { turnId, choices, setting: after };
  for (const wish of wishesOf(draft.thread.chosen, standing)) {
    if (findChoice(choices, wish.key)?.id !== told.choiceId) continue;
    const judged = judgeWish(wish, standing);
    if (judged.verdict !== 'failed') continue;
    if (!giveUp(draft, wish, { why: judged.why, choices })) return;
  }
}

/* An agent that is run once per turn has no session in which anything could be set. False: so the turn has failed. */
export function giveUpAll(draft: Draft): boolean {
  const why = 'this agent is started anew for every turn, and lets nothing be chosen';
  return Object.entries(draft.thread.chosen ?? {}).every(([key, wanted]) =>
    giveUp(draft, { key, wanted }, { why, choices: [] }),
  );
}

/* False: the turn has failed, because the agent may do what it should not. */
function giveUp(
  draft: Draft,
  { key, wanted: value }: Wish,
  { why, choices }: { readonly why: string; readonly choices: readonly Choice[] },
): boolean {
  const { chosen = {}, currentChoices = [] } = draft.thread;
  const now = findChoice(currentChoices, key);
  const unknown: Named = { id: key, name: key };
  const choice: Named = findChoice(choices, key) ?? now ?? unknown;
  const couldNot = `${choice.name} ${shownValue(choices, key, value)} could not be set: ${why}.`;
  if (mayLimit(choice)) {
    const another = (choice.category ?? key) === 'mode' ? 'another mode' : 'another value';
    const isElse = now !== undefined && now.value !== value && now.valueName !== value;
    const stands = isElse ? ` It is “${now.valueName}”.` : '';
    const message = `${couldNot}${stands} Nothing was sent to the agent: choose ${another}, or send the message again.`;
    draft.turnEvent({ type: 'not-set', message });
    return false;
  }
  const goesOn = now === undefined ? '' : ` It goes on with ${now.valueName}.`;
  const { [key]: _given, ...rest } = chosen;
  setChosen(draft, rest);
  const message = `${couldNot}${goesOn}`;
  draft.event('status', { event: 'choice-refused', choice: key, value, message });
  return true;
}

/* What an agent says about its refusal; a sentence is enough. */
const reasonCharactersMax = 200;

function shortened(message: string): string {
  const line = message.slice(0, 4 * reasonCharactersMax).replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  const short = Array.from(line.trim()).slice(0, reasonCharactersMax).join('');
  return short.replace(/[.\s]+$/, '') || 'the agent gave no reason';
}
