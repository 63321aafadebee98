/*
 * `/proc/<pid>/stat`, parsed.
 *
 * The second field is the program's name in parentheses, and a program may call
 * itself anything: `a) R 1 (b`, with spaces, newlines and bytes that are no text.
 * So the fields after it are counted from the *last* parenthesis, and the name is
 * decoded leniently; no decision may rest on it.
 */

export interface ProcStat {
  readonly pid: number;
  readonly comm: string;
  /** One letter; `Z` and `X` are dead processes that their parents have not waited for yet. */
  readonly state: string;
  readonly parentPid: number;
  readonly processGroupId: number;
  readonly kernelSessionId: number;
  /** Clock ticks since boot: with the pid, the identity of a process. */
  readonly startTicks: number;
}

/** Field numbers of proc(5), counted from the state, which is number 3. */
const fieldOf = { state: 0, parentPid: 1, processGroupId: 2, kernelSessionId: 3, startTicks: 19 };

/** `undefined` for text that is not a whole stat line. */
export function parseProcStat(text: string): ProcStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 1 || close < open) return undefined;
  const fields = text
    .slice(close + 1)
    .trim()
    .split(' ');
  const stat: ProcStat = {
    pid: Number(text.slice(0, open)),
    comm: text.slice(open + 1, close),
    state: fields[fieldOf.state] ?? '',
    parentPid: Number(fields[fieldOf.parentPid]),
    processGroupId: Number(fields[fieldOf.processGroupId]),
    kernelSessionId: Number(fields[fieldOf.kernelSessionId]),
    startTicks: Number(fields[fieldOf.startTicks]),
  };
  const numbers = [stat.pid, stat.parentPid, stat.processGroupId, stat.startTicks];
  const isWhole = /^[A-Za-z]$/.test(stat.state) && numbers.every(Number.isSafeInteger);
  return isWhole ? stat : undefined;
}
