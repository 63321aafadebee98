/*
 * A form as the start of a run: what is empty is left to the gateway.
 */
import type { Api, CallOf } from '@clawdfather/protocol/api';
import { typedIn } from '../parts/fields.tsx';

export type RunStart = NonNullable<CallOf<Api['runs']['create']>['body']>;

export const leftoverChoices = ['keep', 'end', 'fail'] as const;

const mebibyte = 1_048_576;

export function runStartOf(form: FormData): RunStart {
  const limits = given({
    openFiles: numberIn(form, 'openFiles'),
    cpuSeconds: numberIn(form, 'cpuSeconds'),
    memoryBytes: times(numberIn(form, 'memoryMb'), mebibyte),
    fileBytes: times(numberIn(form, 'fileMb'), mebibyte),
    processes: numberIn(form, 'processes'),
  });
  return {
    command: typedIn(form, 'command') ?? '',
    background: true,
    pty: form.has('pty'),
    ...given({
      host: typedIn(form, 'host'),
      workdir: typedIn(form, 'workdir'),
      name: typedIn(form, 'name'),
      timeoutSeconds: times(numberIn(form, 'timeoutMinutes'), 60),
      noOutputTimeoutSeconds: times(numberIn(form, 'silenceMinutes'), 60),
      graceMs: times(numberIn(form, 'graceSeconds'), 1_000),
      nice: numberIn(form, 'nice'),
      journalBytesMax: times(numberIn(form, 'outputMb'), mebibyte),
      leftovers: leftoverChoices.find((each) => each === typedIn(form, 'leftovers')),
      env: pairsIn(form, 'env'),
      labels: pairsIn(form, 'labels'),
      stdin: rawIn(form, 'stdin'),
      sessionId: typedIn(form, 'sessionId'),
      eof: form.has('eof') ? true : undefined,
      shield: form.has('shield') ? true : undefined,
      limits: Object.keys(limits).length === 0 ? undefined : limits,
    }),
  };
}

/* NAME=VALUE, one a line. */
function pairsIn(form: FormData, name: string): Readonly<Record<string, string>> | undefined {
  const lines = (typedIn(form, name) ?? '').split('\n').filter((line) => line.includes('='));
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}

/* As it was typed, blanks included. */
function rawIn(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberIn(form: FormData, name: string): number | undefined {
  const text = typedIn(form, name);
  return text === undefined ? undefined : Number(text);
}

function times(count: number | undefined, unit: number): number | undefined {
  return count === undefined ? undefined : Math.round(count * unit);
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only what is there, which the type says too.
  return Object.fromEntries(entries) as Given<Fields>;
}
