/*
 * A push message as a notification. Pure. Whatever comes, there is exactly one: a push that shows nothing costs the subscription on some
 * phones. What cannot be read is told in general words, and a tap never leads away from the app.
 */
import { parseAddress } from '../text/parse-address.ts';

export interface ReadPush {
  readonly title: string;
  readonly options: {
    readonly body?: string;
    readonly lang: string;
    readonly tag?: string;
    readonly data: PushTarget;
    readonly actions: readonly { readonly action: string; readonly title: string }[];
  };
  /* Undefined: the message does not say. */
  readonly badge: number | undefined;
}

export interface PushTarget {
  /* Where a tap leads, in the app. */
  readonly path: string;
  readonly about: PushSubject | undefined;
}

/* What can be denied from the notification itself. Nothing can be allowed from there. */
export interface PushSubject {
  readonly kind: 'command' | 'ask';
  readonly id: string;
}

const textMax = 200;
const idPattern = /^[0-9a-z]{1,64}$/;

export function readPush(text: string | undefined, origin: string): ReadPush {
  const message = fieldsOf(parse(text));
  const { title, body, navigate, tag, data } = fieldsOf(message['notification']);
  const about = subjectOf(fieldsOf(data));
  const deny = { action: 'deny', title: 'Deny' };
  const open = { action: 'open', title: 'Open' };
  return {
    title: lineOf(title) ?? 'Something happened in Clawdfather',
    options: {
      ...(lineOf(body) === undefined ? {} : { body: lineOf(body) ?? '' }),
      ...(lineOf(tag) === undefined ? {} : { tag: lineOf(tag) ?? '' }),
      lang: 'en',
      data: { path: pathOf(navigate, origin), about },
      actions: about === undefined ? [] : [deny, open],
    },
    badge: countOf(message['app_badge']),
  };
}

/* An address of ours; anything else leads to the inbox. */
export function pathOf(address: unknown, origin: string): string {
  const url = typeof address === 'string' ? parseAddress(address, origin) : undefined;
  return url?.origin === origin ? `${url.pathname}${url.search}` : '/inbox';
}

function subjectOf(data: Fields): PushSubject | undefined {
  const { class: kind, about, thread_id: threadId } = data;
  if (kind !== 'approval' || typeof about !== 'string' || !idPattern.test(about)) return undefined;
  return { kind: typeof threadId === 'string' ? 'ask' : 'command', id: about };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    // Told in general words.
    return undefined;
  }
}

function lineOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, textMax) : undefined;
}

function countOf(value: unknown): number | undefined {
  // Declarative web push has it as a number, and early drafts as a text.
  const count = Number(value);
  return value !== null && value !== '' && Number.isInteger(count) && count >= 0
    ? count
    : undefined;
}
