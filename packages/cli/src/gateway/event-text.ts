/*
 * What the gateway's log says to a person at a terminal: a sentence for each thing that matters to them, nothing for the rest. The
 * whole is in the JSON log (docs/observability.md).
 *
 * Information is shown only if it is in this table. Warnings and errors are shown in a sentence of the table, or by their name.
 */
import type { LogFields, LogLevel } from '@clawdfather/kit';
import { makeVisible } from '@clawdfather/tools/text';

export interface LoggedEvent {
  readonly level: LogLevel;
  readonly name: string;
  readonly fields: LogFields;
}

type Sentence = (fields: LogFields) => string;

/* Of one value; the whole is in the JSON log. */
const valueCharactersMax = 120;
/* As the command line shows ids. */
const idCharacters = 12;

/* That the gateway has started is said by what `serve` prints, with the address and a link. */
const sentences: Readonly<Record<string, string | Sentence>> = {
  'runs.adopted': ({ adopted, ended }) => adoptedText(Number(adopted), Number(ended)),
  'auth.signed-in': ({ device, provider }) =>
    `signed in: ${textOf(device)}${provider === 'github' ? ', with GitHub' : ''}`,
  'auth.signed-out': ({ device, others }) =>
    others === undefined
      ? `signed out: ${textOf(device)}`
      : `signed out: ${counted(Number(others), 'other device')}`,
  'auth.refused': ({ reason, ip }) =>
    `a sign-in was refused: ${textOf(reason).replaceAll('_', ' ')}, from ${textOf(ip)}`,
  'approval.changed':
    'what an allowed command is bound to has changed, so it waits for your decision again: clf approvals',
  'approval.waiting': 'a command waits for your decision: clf approvals',
  'health.changed': ({ to, reasons }) => healthText(to, reasons),
  'gateway.stop-asked': ({ why }) => `stopping (${textOf(why)}); what runs goes on`,
  'gateway.stopped': 'stopped',
  'gateway.stop-overdue': 'stopping takes too long, so it ends at once; what runs goes on',
  'gateway.superseded': 'another gateway has taken over this state directory; this one stops',
  'gateway.beat-missed': 'the database does not answer',
  'gateway.stop-unrecorded': 'the stop could not be recorded',
  'api.request.failed': ({ route }) => `a request failed: ${textOf(route)}`,
  'api.request.slow': ({ route }) => `a request took more than five seconds: ${textOf(route)}`,
  'socket.message.failed': 'a message of a client could not be handled',
  'approval.start-failed': 'a command that was allowed could not be started',
  'approval.token-undenied': 'what a revoked token asked for could not be denied: clf approvals',
  'run.blocked': 'the output of a run cannot be kept up with, so the run waits',
  'run.end': 'a run has ended, but processes of it are still there: clf show',
  'run.lease-lost': 'another process owns the runs now',
  'run.shim-lost': 'what held a run has died; how the run ended is not known',
  'run.uncertain': 'it is not certain how a run stands, so it is left alone',
  'run.ending-unrecorded': 'a run was ended without an entry in the audit log',
  'registry.failed': 'the registry of runs cannot be written; it is tried again',
  'registry.write-failed': 'the registry of runs cannot be written; it is tried again',
  'spawnd.lost': 'the process that starts runs has died; runs go on',
  'spawnd.restarted': 'the process that starts runs was started again',
  'state-dir.warning': ({ warning }) => `the state directory: ${textOf(warning)}`,
  'cleanup.step-failed': ({ step }) => `the clean-up failed at a step: ${textOf(step)}`,
  'tools.take-over-failed': 'runs of before could not be taken over',
  'tracing.send-failed': 'the collector does not take traces',
};

/* Warnings about a single run that a sentence about all of them covers: after a crash it is every one. */
const told = new Set(['run.lease-stolen']);

/* Undefined: nothing that a person at the terminal has to know. */
export function formatEvent({ level, name, fields }: LoggedEvent): string | undefined {
  const known = Object.hasOwn(sentences, name) ? sentences[name] : undefined;
  const isBad = (level === 'warn' || level === 'error') && !told.has(name);
  if (known === undefined && !isBad) return undefined;
  const said = typeof known === 'function' ? known(fields) : (known ?? name);
  // A run that waited and goes on again, say: the sentence is of the trouble.
  if (typeof known === 'string' && level === 'info' && name.startsWith('run.')) return undefined;
  return isBad ? `${said}${whichRun(fields)}${whyOf(fields)}` : said;
}

/* For the level debug: the name and every field, one line. */
export function formatEverything({ name, fields }: Omit<LoggedEvent, 'level'>): string {
  const shown = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [`${field}=${textOf(value)}`],
  );
  return [name, ...shown].join(' ');
}

function adoptedText(adopted: number, ended: number): string {
  const held = adopted > 0 ? [`${counted(adopted, 'run')} adopted`] : [];
  return [...held, ...(ended > 0 ? [`${counted(ended, 'run')} ended meanwhile`] : [])].join(', ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function healthText(to: unknown, reasons: unknown): string {
  if (to === 'ok') return 'all is well again';
  const why = Array.isArray(reasons) ? reasons.map(textOf).join(', ') : textOf(reasons ?? '');
  return `${textOf(to)}${why === '' ? '' : `: ${why}`}`;
}

function whichRun({ runId }: LogFields): string {
  return typeof runId === 'string' ? ` (run ${textOf(runId.slice(0, idCharacters))})` : '';
}

function whyOf({ error }: LogFields): string {
  if (error === undefined || error === null) return '';
  return `: ${textOf(error)}`;
}

/* A line at a terminal must not be able to drive it. */
function textOf(value: unknown): string {
  const text = value instanceof Error ? value.message : plainText(value);
  return makeVisible(text.slice(0, valueCharactersMax));
}

function plainText(value: unknown): string {
  // Undefined for a function, say; no caller logs one.
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
