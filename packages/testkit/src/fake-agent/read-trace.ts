/*
 * Reads what agents received (trace-format.ts) and compares it with what was to be sent: exactly these lines, once, in
 * order.
 */
import { existsSync, readFileSync } from 'node:fs';
import { chainStart, traceLine, type TracedLine, type TraceEntry } from './trace-format.ts';

export interface TracedRun {
  readonly pid: number;
  /** What it played: the name of its script, or `echo`. */
  readonly started: string;
  readonly lines: readonly TracedLine[];
  /** Known once its input has ended: bytes before the last newline, and after. */
  readonly input?: { readonly ended: number; readonly rest: number };
  /** Processes that it started, by the names in the script. */
  readonly children: Readonly<Record<string, number>>;
  /** Why the script could not go on. */
  readonly failed?: string;
}

interface RunBeingRead extends TracedRun {
  readonly lines: TracedLine[];
  readonly children: Record<string, number>;
  input?: { readonly ended: number; readonly rest: number };
  failed?: string;
}

/** One run per agent process, in the order of their starts. An agent that was killed in the middle of an entry did not write it. */
export function readTrace(file: string): readonly TracedRun[] {
  const runs: RunBeingRead[] = [];
  const entries = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  for (const text of entries) {
    const entry = JSON.parse(text) as TraceEntry;
    if ('started' in entry) {
      runs.push({ pid: entry.pid, started: entry.started, lines: [], children: {} });
      continue;
    }
    const run = runs.findLast(({ pid }) => pid === entry.pid);
    if (run === undefined) throw new Error(`${file}: process ${entry.pid} never started`);
    const { pid: _pid, ...fact } = entry;
    if ('offset' in fact) run.lines.push(checkedLine(run.lines, fact));
    else if ('ended' in fact) run.input = fact;
    else if ('child' in fact) run.children[fact.name] = fact.child;
    else run.failed = fact.failed;
  }
  return runs;
}

/* The lines of an input touch. */
function checkedLine(before: readonly TracedLine[], line: TracedLine): TracedLine {
  const last = before.at(-1);
  const offset = last === undefined ? 0 : last.offset + last.length;
  if (line.offset !== offset)
    throw new Error(`a traced line begins at ${line.offset}, not at ${offset}`);
  return line;
}

/** What a run's `lines` are after it received these frames, each with its newline. */
export function expectedLines(frames: Iterable<Uint8Array>): readonly TracedLine[] {
  let chain = chainStart;
  let offset = 0;
  return Array.from(frames, (frame) => {
    const line = traceLine(chain, offset, frame);
    chain = line.chain;
    offset += line.length;
    return line;
  });
}
