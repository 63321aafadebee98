/*
 * What an agent asks while somebody watches its turn: asked in place at a terminal, one question after the other; a permission is answered
 * by the option that was chosen, a question by a form. If the answer comes from elsewhere first, that is said, and the turn goes on. Without a terminal it is said what
 * waits and how to answer it.
 */
import { type Client, RefusedError } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import { shortApprovalChars } from '../approvals/find-approval.ts';
import type { Paint } from '../render/paint.ts';
import { type RetryDeps, retried } from '../place/gateway/retried.ts';
import { askedRows, numberedOptions } from './ask-text.ts';
import { type FieldValue, type FormField, formFields, readField } from './question-form.ts';
import type { Ask } from './thread-types.ts';
import type { TypedLines } from './typed-lines.ts';

export interface AnswerDeps {
  readonly client: Client;
  readonly retry: RetryDeps;
  /* Undefined: nobody can answer here. */
  readonly lines: TypedLines | undefined;
  /* Whole lines, on stderr. */
  readonly note: (text: string) => Promise<void>;
  readonly paint: Paint;
  readonly columns: number | undefined;
  /* What follows `clf allow` to mean the same gateway. */
  readonly flag: string;
  readonly signal: AbortSignal;
}

export interface Answerer {
  /* Something is asked. Questions wait for each other. */
  asked(askId: string): void;
  /* It waits no longer; `actor` has answered it. */
  over(askId: string, actor: string | undefined): Promise<void>;
  /* Resolves when nothing is being asked. */
  settled(): Promise<void>;
}

export function createAnswerer(deps: AnswerDeps): Answerer {
  const { signal, note } = deps;
  /* Those that wait, with what calls their question off. */
  const waiting = new Map<string, AbortController>();
  /* Shown here, and not answered here. */
  const shown = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  const handle = async (askId: string): Promise<void> => {
    const off = waiting.get(askId);
    if (off === undefined || signal.aborted) return;
    const ends = AbortSignal.any([signal, off.signal]);
    const read = () => deps.client.asks.get({ params: { id: askId } }, { signal: ends });
    const ask = await retried(deps.retry, read, ends);
    if (ask.state !== 'open') return;
    shown.add(askId);
    const fields = ask.class === 'question' ? formFields(ask.params) : undefined;
    const canAnswer = ask.class === 'question' ? fields !== undefined : ask.options.length > 0;
    if (deps.lines === undefined || !canAnswer) return note(formatWaiting(ask, deps));
    const asking = { ...deps, lines: deps.lines, ends };
    const body = await (fields === undefined
      ? askOption(asking, ask)
      : askForm(asking, ask, fields));
    if (body === 'over') return;
    // The input has ended: it can still be answered elsewhere.
    if (body === undefined) return note(formatWaiting(ask, deps));
    shown.delete(askId);
    await send(asking, ask, body);
  };
  return {
    asked: (askId) => {
      if (waiting.has(askId)) return;
      waiting.set(askId, new AbortController());
      last = last
        .then(() => handle(askId))
        .catch((error: unknown) => tellFailure(deps, askId, error));
    },
    over: async (askId, actor) => {
      const off = waiting.get(askId);
      waiting.delete(askId);
      off?.abort();
      if (!shown.delete(askId) || signal.aborted) return;
      const by = actor === undefined ? 'it waits no longer' : `${makeVisible(actor)} has answered`;
      await note(`clf: ${by}: ${short(askId)}\n`);
    },
    settled: () => last,
  };
}

interface Asking extends AnswerDeps {
  readonly lines: TypedLines;
  /* Aborts when the question is over. */
  readonly ends: AbortSignal;
}

type AnswerBody =
  | { readonly option_id: string }
  | { readonly content: Readonly<Record<string, FieldValue>> };

/* `over`: it was answered elsewhere. Undefined: there is no more input. */
type Answered = AnswerBody | 'over' | undefined;

async function askOption(deps: Asking, ask: Ask): Promise<Answered> {
  const { paint, columns: columnsMax } = deps;
  const rows = [...askedRows(ask, { paint, columnsMax }), ...numberedOptions(ask)];
  const count = ask.options.length;
  const numbers = count < 3 ? ['1', '1 or 2'][count - 1] : `1 to ${count}`;
  let text = `${asksText(ask)}${rows.join('\n')}\nclf: allow this? Type ${numbers}; it can also be answered elsewhere\n`;
  for (;;) {
    const line = await answerTo(deps, text);
    if (deps.ends.aborted) return 'over';
    if (line === undefined) return undefined;
    const option = /^\d{1,3}$/.test(line) ? ask.options[Number(line) - 1] : undefined;
    if (option !== undefined) return { option_id: option.option_id };
    text = `clf: type ${numbers}\n`;
  }
}

async function askForm(deps: Asking, ask: Ask, fields: readonly FormField[]): Promise<Answered> {
  const { note, ends, flag } = deps;
  await note(
    `${asksText(ask)}  ? ${makeVisible(ask.title)}\nclf: answer line by line; to decline: clf deny${flag} ${short(ask.id)}\n`,
  );
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    let text: string | undefined = formatField(field);
    while (text !== undefined) {
      const line = await answerTo(deps, text);
      if (ends.aborted) return 'over';
      if (line === undefined) return undefined;
      const read = readField(field, line);
      if (read.kind === 'value') content[field.name] = read.value;
      text = read.kind === 'wrong' ? `clf: ${read.why}\n` : undefined;
    }
  }
  return { content };
}

/* Listens before it is shown: an answer may come as soon as it can be read. */
async function answerTo({ lines, ends, note }: Asking, text: string): Promise<string | undefined> {
  const line = lines.next(ends);
  await note(text);
  return line;
}

function formatField({ title, type, choices, isRequired }: FormField): string {
  const kind = type === 'boolean' && choices === undefined ? ' (y or n)' : '';
  const more = isRequired ? '' : '; an empty line leaves it out';
  const listed = (choices ?? []).map((choice, index) => `  ${index + 1}  ${makeVisible(choice)}\n`);
  return `clf: ${makeVisible(title)}${kind}${more}\n${listed.join('')}`;
}

function asksText(ask: Ask): string {
  return `clf: ${makeVisible(ask.agent)} asks (${short(ask.id)})\n`;
}

async function send(
  { client, retry, ends, note }: Asking,
  { id }: Ask,
  body: AnswerBody,
): Promise<void> {
  try {
    const answer = () => client.asks.answer({ params: { id }, body }, { signal: ends });
    await retried(retry, answer, ends);
  } catch (error) {
    if (!isDecided(error)) throw error;
    await note('clf: it was answered elsewhere before\n');
  }
}

function formatWaiting(ask: Ask, { flag, paint, columns: columnsMax }: AnswerDeps): string {
  const id = short(ask.id);
  const rows = askedRows(ask, { paint, columnsMax }).join('\n');
  const how =
    ask.class !== 'question'
      ? `allow it: clf allow${flag} ${id}   refuse it: clf deny${flag} ${id}`
      : `it is a question; answer it at a terminal: clf threads follow${flag} ${ask.thread_id}   refuse it: clf deny${flag} ${id}`;
  return `clf: ${makeVisible(ask.agent)} waits for an answer\n${rows}\nclf: ${how}\n`;
}

/* The turn goes on, and it can be answered elsewhere. */
async function tellFailure({ note, signal, flag }: AnswerDeps, askId: string, error: unknown) {
  if (signal.aborted || isAbort(error)) return;
  const why = error instanceof Error ? error.message : String(error);
  await note(
    `clf: ${short(askId)} could not be answered here: ${makeVisible(why)}; see: clf approvals${flag}\n`,
  ).catch(() => {});
}

function isDecided(error: unknown): boolean {
  return error instanceof RefusedError && error.refusal.code === 'already_decided';
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function short(id: string): string {
  return id.slice(0, shortApprovalChars);
}
