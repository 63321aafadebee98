/*
 * The report files of our own programs: what the dialer, the host key program and the mux client saw, a line for each fact.
 * docs/protocol/mux.md has the format.
 *
 * A program may be killed while it writes, so the last line counts only with its line end. A line that cannot be read is counted
 * and left out: a report is evidence, and half of a fact is none.
 */

export type ReportLine =
  | { readonly kind: 'dial-connected'; readonly tookMs: number }
  | { readonly kind: 'dial-failed'; readonly errno: string; readonly tookMs: number }
  | { readonly kind: 'dial-timeout' }
  /* Type and blob as ssh gave them: not yet a parsed key. */
  | {
      readonly kind: 'hostkey';
      readonly invocation: string;
      readonly type: string;
      readonly blob: string;
    }
  /* What was offered had not the form of a key. */
  | { readonly kind: 'hostkey-malformed' }
  /* The file of pins could not be read as one; ssh was told to stop. */
  | { readonly kind: 'hostkey-bad-pins' }
  | { readonly kind: 'opening' }
  | { readonly kind: 'opened'; readonly sessionId: number }
  /* The command on the host: its process, and that host's boot; 0 and `-` where the host has no /proc. */
  | {
      readonly kind: 'header';
      readonly pid: number;
      readonly startTicks: string;
      readonly bootId: string;
    }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'ended-without-code'; readonly isMasterAlive: boolean }
  /* The host's own words: for people, never to decide on. */
  | { readonly kind: 'refused'; readonly text: string }
  /* Refused for now; it is asked for again. */
  | { readonly kind: 'crowded' }
  | { readonly kind: 'no-master'; readonly errno: string }
  | { readonly kind: 'open-timeout' }
  | { readonly kind: 'cancelling'; readonly signal: string }
  /* Before anything was asked of the master: nothing runs on the host. */
  | { readonly kind: 'not-sent' }
  /* The master, or our own client, did not keep to the protocol. */
  | { readonly kind: 'protocol'; readonly text: string }
  | { readonly kind: 'bad-setup'; readonly text: string }
  /* The host gave no terminal; the session goes on without one. */
  | { readonly kind: 'terminal-refused' }
  /* `found`: how many processes there were to end. */
  | { readonly kind: 'swept'; readonly outcome: 'confirmed'; readonly found: number | undefined }
  | { readonly kind: 'swept'; readonly outcome: 'unconfirmed'; readonly why: string }
  | { readonly kind: 'swept'; readonly outcome: 'survivors'; readonly left: number };

export interface Report {
  readonly lines: readonly ReportLine[];
  /* Whole lines that are none of the above. */
  readonly unreadable: number;
  /* The last line has no end: its writer was stopped, or writes still. */
  readonly isCut: boolean;
}

/* A session's report has a dozen lines; more is a mistake, and is not kept. */
const linesMax = 1_000;

export function parseReport(text: string): Report {
  const whole = text.split('\n');
  const rest = whole.pop() ?? '';
  const read = whole.slice(0, linesMax).map(parseLine);
  const lines = read.filter((line) => line !== undefined);
  return { lines, unreadable: whole.length - lines.length, isCut: rest !== '' };
}

const number = '(0|[1-9][0-9]{0,14})';
const word = '([A-Za-z0-9_-]{1,64})';

type Reading = (parts: readonly (string | undefined)[]) => ReportLine;

const forms: readonly (readonly [RegExp, Reading])[] = [
  form(`dial connected ${number}`, ([ms]) => ({ kind: 'dial-connected', tookMs: Number(ms) })),
  form(`dial failed ${word} ${number}`, ([errno = '', ms]) => ({
    kind: 'dial-failed',
    errno,
    tookMs: Number(ms),
  })),
  form('dial timeout', () => ({ kind: 'dial-timeout' })),
  form(
    `hostkey ${word} ([^ ]{1,64}) ([^ ]{1,4096})`,
    ([invocation = '', type = '', blob = '']) => ({
      kind: 'hostkey',
      invocation,
      type,
      blob,
    }),
  ),
  form('hostkey malformed', () => ({ kind: 'hostkey-malformed' })),
  form('hostkey bad-pins', () => ({ kind: 'hostkey-bad-pins' })),
  form('opening', () => ({ kind: 'opening' })),
  form(`opened ${number}`, ([id]) => ({ kind: 'opened', sessionId: Number(id) })),
  form(`header ${number} ${number} ([0-9a-f-]{1,36})`, ([pid, startTicks = '', bootId = '']) => ({
    kind: 'header',
    pid: Number(pid),
    startTicks,
    bootId,
  })),
  form('exit (0|[1-9][0-9]{0,9})', ([code]) => ({ kind: 'exit', code: Number(code) })),
  form('ended-without-code master-(alive|lost|silent)', ([master]) => ({
    kind: 'ended-without-code',
    isMasterAlive: master === 'alive',
  })),
  form('refused (.{0,1024})', ([text = '']) => ({ kind: 'refused', text })),
  form('crowded', () => ({ kind: 'crowded' })),
  form(`no-master ${word}`, ([errno = '']) => ({ kind: 'no-master', errno })),
  form('open-timeout', () => ({ kind: 'open-timeout' })),
  form(`cancelling ${word}`, ([signal = '']) => ({ kind: 'cancelling', signal })),
  form('not-sent', () => ({ kind: 'not-sent' })),
  form('protocol (.{0,200})', ([text = '']) => ({ kind: 'protocol', text })),
  form('bad-setup (.{0,200})', ([text = '']) => ({ kind: 'bad-setup', text })),
  form('terminal-refused', () => ({ kind: 'terminal-refused' })),
  form(`swept confirmed(?: ${number})?`, ([found]) => ({
    kind: 'swept',
    outcome: 'confirmed',
    found: found === undefined ? undefined : Number(found),
  })),
  form('swept unconfirmed(?: (.{0,200}))?', ([why = '']) => ({
    kind: 'swept',
    outcome: 'unconfirmed',
    why,
  })),
  form(`swept survivors ${number}`, ([left]) => ({
    kind: 'swept',
    outcome: 'survivors',
    left: Number(left),
  })),
];

function form(pattern: string, reading: Reading): readonly [RegExp, Reading] {
  return [new RegExp(`^${pattern}$`), reading];
}

function parseLine(line: string): ReportLine | undefined {
  for (const [pattern, reading] of forms) {
    const parts = pattern.exec(line);
    if (parts !== null) return reading(parts.slice(1));
  }
  return undefined;
}
