/*
 * Approvals for people. Nothing of a command is cut: what cannot be seen cannot be approved. So each has a line of facts,
 * and below it, as long as they are, the command, what is added to its environment, what it is given to read, and why it
 * is asked about.
 * Control and directional characters are shown as what they are.
 */
import { directoryOnHost, localHost } from '@clawdfather/supervisor/origins';
import type { ApprovalRecord, ProposedAction } from '@clawdfather/tools';
import { cutColumns, formatChanged, makeVisible } from '@clawdfather/tools/text';
import { formatAge, formatDuration } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import { type Cell, formatTable } from '../render/table.ts';
import { shortApprovalChars } from './find-approval.ts';

export interface ApprovalTextOptions {
  readonly paint: Paint;
  readonly nowMs: number;
  /* With those that are over. */
  readonly isAll: boolean;
  /* Accounts of the person who looks; a request of another one says whose it is. */
  readonly ownAccounts: readonly string[];
  /* Of the terminal; undefined where there is none. */
  readonly columnsMax?: number | undefined;
}

const indent = '  ';
/* On a terminal that is narrower still, rows wrap. */
const roomMin = 8;

/* One of the list: a line of facts in the columns that all share, and what stands below it. */
export interface ApprovalBlock {
  readonly atMs: number;
  readonly facts: readonly Cell[];
  readonly details: readonly string[];
}

export function approvalBlock(record: ApprovalRecord, options: ApprovalTextOptions): ApprovalBlock {
  const { createdAtMs: atMs } = record;
  return { atMs, facts: factsOf(record, options), details: detailsOf(record, options) };
}

/* In the order in which they are given. */
export function formatBlocks(
  blocks: readonly ApprovalBlock[],
  { paint, isAll }: ApprovalTextOptions,
): string {
  const headers = ['ID', 'AGE', isAll ? 'STATE' : 'EXPIRES IN', 'ASKED BY', 'DIRECTORY'];
  const layout = { headers, paintHeader: paint.dim, columnsMax: undefined };
  const rows = blocks.map(({ facts }) => facts);
  const [header = '', ...lines] = formatTable(layout, rows).trimEnd().split('\n');
  const texts = blocks.map(({ details }, index) => [lines[index] ?? '', ...details].join('\n'));
  return `${[header, ...texts].join('\n')}\n`;
}

/* One by itself, without a header. */
export function formatBlock({ facts, details }: ApprovalBlock): string {
  const texts = facts.map(({ text, paint = (plain: string) => plain }) => paint(text));
  return `${[texts.join('  '), ...details].join('\n')}\n`;
}

function factsOf(record: ApprovalRecord, { paint, nowMs, isAll }: ApprovalTextOptions): Cell[] {
  const { host, hostName = host, cwd } = record.action;
  return [
    { text: record.approvalId.slice(0, shortApprovalChars), paint: paint.strong },
    { text: formatAge(nowMs, record.createdAtMs) },
    // What is allowed has a time of its own, from then on, in which it has to be started.
    isAll || record.state === 'allowed'
      ? { text: record.state, paint: record.state === 'pending' ? paint.warn : paint.dim }
      : { text: formatDuration(record.expiresAtMs - nowMs) },
    { text: askedBy(record) },
    { text: makeVisible(host === localHost ? cwd : `${hostName}:${directoryOnHost(cwd)}`) },
  ];
}

/* The id of a token or device says nothing to a person; its name does, where it is known. */
function askedBy({ requester, asker }: ApprovalRecord): string {
  if (asker === undefined) return makeVisible(requester);
  const [client, kind = client] = requester.split(' ', 2);
  const what = `${/^(token|device):/.exec(kind ?? '')?.[1] ?? 'token'} ${asker.name}`;
  return makeVisible(kind === client ? what : `${client} (${what})`);
}

/* Rows that begin with a mark, also where a terminal would have begun them: nothing that others wrote begins one. */
export function markedRows(
  text: string,
  mark: string,
  { paint, columnsMax }: Pick<ApprovalTextOptions, 'paint' | 'columnsMax'>,
): readonly string[] {
  const room = (columnsMax ?? Number.POSITIVE_INFINITY) - indent.length - mark.length - 1;
  return cutColumns(text, Math.max(roomMin, room)).map((row, index) => {
    const own = index === 0 ? mark : '|'.padStart(mark.length);
    return `${indent}${paint.dim(own)} ${paint.strong(row)}`;
  });
}

function detailsOf(record: ApprovalRecord, options: ApprovalTextOptions): string[] {
  const { action } = record;
  const { paint } = options;
  const lines = formatCommandLines(action.command).flatMap((line, index) =>
    markedRows(line, index === 0 ? '$' : '>', options),
  );
  if (hasHidden(action)) {
    lines.push(indent + paint.warn('it has invisible characters, shown as \\x… and \\u…'));
  }
  if (action.runAs !== undefined) {
    lines.push(`${indent}as the Unix user ${makeVisible(action.runAs)}`);
  }
  for (const [name, value] of Object.entries(action.envAdditions)) {
    lines.push(...markedRows(makeVisible(`${name}=${value}`), 'with', options));
  }
  if (action.stdin !== undefined) {
    lines.push(`${indent}with this as its input:`);
    for (const line of action.stdin.replace(/\n$/, '').split('\n')) {
      lines.push(...markedRows(makeVisible(line), '<', options));
    }
  }
  if (record.binding !== undefined) {
    lines.push(paint.dim(indent + formatBinding(record.binding)));
    lines.push(...movedFiles(record.binding).map((line) => paint.dim(indent + line)));
  }
  if (!options.ownAccounts.includes(record.account)) {
    const isOwn = record.asker?.isOwner === true;
    lines.push(
      isOwn
        ? paint.dim(`${indent}asked for at the gateway, account Owner (yours)`)
        : paint.warn(`${indent}asked for by another account: ${makeVisible(record.account)}`),
    );
  }
  lines.push(paint.dim(`${indent}asked about because ${makeVisible(record.why)}`));
  const end = formatEnd(record, options.nowMs);
  if (end !== undefined) lines.push(paint.dim(indent + end));
  return lines;
}

/* Of files whose places are named. */
const movedMax = 3;

type Binding = NonNullable<ApprovalRecord['binding']>;

/* How many, without their names: these are in the command. `--json` has all. */
function formatBinding({ files, unbound, more }: Binding): string {
  const content = files.length === 1 ? 'a file' : `${files.length} files`;
  const bound = files.length === 0 ? '' : ` and the content of ${content}`;
  const others = unbound.length + more;
  const rest = others === 0 ? '' : `; ${others} more that it names may change (--json says why)`;
  return `bound to its directory${bound}${rest}`;
}

/* A shielded command has another /tmp than the person who would look there. */
function movedFiles({ files }: Binding): readonly string[] {
  const moved = files.flatMap(({ path, at }) =>
    at === undefined ? [] : [makeVisible(`its ${path} is ${at}`)],
  );
  const more = moved.length - movedMax;
  return more > 0 ? [...moved.slice(0, movedMax), `and ${more} more (--json)`] : moved;
}

/* How it ended, as a sentence; undefined while it waits for a decision. With `nowMs` it says how long ago. */
export function formatEnd(record: ApprovalRecord, nowMs?: number): string | undefined {
  const { decidedAtMs } = record;
  const isDated = nowMs !== undefined && decidedAtMs !== undefined;
  const when = isDated ? ` ${formatAge(nowMs, decidedAtMs)}` : '';
  const by = `${makeVisible(record.decidedBy ?? 'somebody')}${when}`;
  const reason = record.reason === undefined ? '' : `: ${makeVisible(record.reason)}`;
  switch (record.state) {
    case 'pending':
      return undefined;
    case 'allowed':
      return `allowed by ${by}, not started yet`;
    case 'started':
      return `allowed by ${by}, started as run ${record.runId}`;
    case 'denied':
      return `denied by ${by}${reason}`;
    case 'changed':
      return `allowed by ${by}, not started: ${makeVisible(formatChanged(record))}`;
    case 'expired':
      return record.decision === undefined
        ? 'expired: nobody decided in time'
        : `expired: ${by} allowed it, and nobody started it in time`;
  }
}

/*
 * A shell line as it is, line by line, with its shell if it is not the usual one; a program with quotes around what needs
 * them. Each line of a command gets a mark of its own, so that none can pass for one of ours.
 */
export function formatCommandLines(command: ProposedAction['command']): readonly string[] {
  if (command.kind === 'argv') return [command.argv.map(quoted).join(' ')];
  const [first = '', ...more] = command.line.split('\n').map(makeVisible);
  const shell = command.shell === '/bin/sh' ? '' : `${makeVisible(command.shell)} -c: `;
  return [shell + first, ...more];
}

function hasHidden({ command, stdin = '' }: ProposedAction): boolean {
  const words = command.kind === 'argv' ? command.argv : command.line.split('\n');
  const texts = [...words, ...stdin.split('\n')];
  return texts.some((text) => makeVisible(text) !== text);
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (makeVisible(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  // As bash would take it: what was a backslash before is doubled.
  return `$'${makeVisible(word.replace(/[\\']/g, '\\$&'))}'`;
}
