/*
 * An agent that speaks no protocol: `agents.NAME.kind` is `once`, with how it is given the prompt and how it goes on with a conversation.
 */
import { usageError } from '../errors.ts';
import { choice } from './kinds.ts';

export interface OnceSetting {
  readonly prompt: 'argument' | 'stdin';
  /* Added to its command when the conversation has begun before. Absent: it cannot go on, and begins anew each time. */
  readonly resume?: readonly string[] | undefined;
}

const kinds = choice(['acp', 'once']);
const prompts = choice(['argument', 'stdin']);
const shape =
  'Write it as {"kind": "once", "command": ["PROGRAM", …], "resume": ["--continue"], "prompt": "stdin"}.';

export const onceSchemas = {
  kind: kinds.schema,
  prompt: prompts.schema,
  resume: { type: 'array', items: { type: 'string' } },
} as const;

export interface OnceFields {
  readonly kind: unknown;
  readonly prompt: unknown;
  readonly resume: unknown;
  readonly hasCommand: boolean;
}

/* Undefined: it speaks ACP. */
export function parseOnce(
  label: string,
  { kind = 'acp', prompt, resume, hasCommand }: OnceFields,
): OnceSetting | undefined {
  if (kinds.fromJson(`${label}.kind`, kind) === 'acp') {
    const [name] =
      Object.entries({ prompt, resume }).find(([, value]) => value !== undefined) ?? [];
    if (name === undefined) return undefined;
    throw usageError(`${label}.${name} is only for agents of the kind "once"`, shape);
  }
  if (!hasCommand) throw usageError(`${label} is of the kind "once" and has no command`, shape);
  const isList = Array.isArray(resume) && resume.every((word) => typeof word === 'string');
  if (resume !== undefined && !isList) {
    throw usageError(`${label}.resume is no list of arguments`, shape);
  }
  return {
    prompt: prompts.fromJson(`${label}.prompt`, prompt ?? 'argument'),
    ...(resume === undefined ? {} : { resume }),
  };
}

export function onceJson(once: OnceSetting | undefined) {
  if (once === undefined) return {};
  const { prompt, resume } = once;
  return {
    kind: 'once',
    ...(prompt === 'argument' ? {} : { prompt }),
    ...(resume === undefined ? {} : { resume }),
  };
}
