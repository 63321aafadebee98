/*
 * One run of a test: its events, its records, its output, and its processes as /proc shows them.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { journalStart, openJournalReader, parseFrameRecord } from '../../src/index.ts';
import type { EndAnswer, ExitAnswer, FrameRecord, RunEvent } from '../../src/index.ts';
import type { SpawnRequest, StartRecord } from '../../src/index.ts';
import type { EventLog } from '../process-rig.ts';

export interface OutputPiece {
  readonly kind: 'output';
  readonly stream: string;
  readonly bytes: Buffer;
}

export type Entry = OutputPiece | FrameRecord;

export interface Run {
  readonly request: SpawnRequest;
  readonly log: EventLog;
  started(): Promise<StartRecord>;
  /* The root is gone and others live. */
  exited(): Promise<ExitAnswer>;
  /* The final end. */
  ended(): Promise<EndAnswer>;
  spawnError(): Promise<Extract<RunEvent, { type: 'spawn-error' }>>;
  /* All that is in the journal now; every CRC is checked. */
  entries(): Promise<readonly Entry[]>;
  output(stream?: 'stdout' | 'stderr'): Promise<Buffer>;
  /* Resolves once the output so far holds this. */
  says(text: string): Promise<void>;
  untilOutput(isEnough: (output: Buffer) => boolean): Promise<Buffer>;
  /* Resolves once this is in the journal. */
  untilEntry(matches: (entry: Entry) => boolean): Promise<void>;
}

export function createRun(request: SpawnRequest, log: EventLog): Run {
  const entries = (): Promise<readonly Entry[]> => readEntries(request.runDir);
  const output: Run['output'] = async (stream) => {
    const pieces = (await entries()).flatMap((entry) =>
      entry.kind === 'output' && (stream === undefined || entry.stream === stream)
        ? [entry.bytes]
        : [],
    );
    return Buffer.concat(pieces);
  };
  /* Whatever is journalled rings, sooner or later: after each event it is looked at again. */
  const untilTrue = async (isSo: () => Promise<boolean>): Promise<void> => {
    let seen = 0;
    while (!(await isSo())) {
      const from = seen;
      await log.untilMatch((event) => log.events.indexOf(event) >= from);
      seen = log.events.length;
    }
  };
  const untilOutput: Run['untilOutput'] = async (isEnough) => {
    let seen = Buffer.alloc(0);
    await untilTrue(async () => isEnough((seen = Buffer.from(await output()))));
    return seen;
  };
  return {
    request,
    log,
    started: async () => (await log.until('started')).start,
    exited: () => log.until('exit'),
    spawnError: () => log.until('spawn-error'),
    ended: async () =>
      (await log.untilMatch((event) => event.type === 'end' && event.end.isFinal)) as EndAnswer,
    entries,
    output,
    untilOutput,
    untilEntry: (matches) => untilTrue(async () => (await entries()).some(matches)),
    says: async (text) => void (await untilOutput((seen) => seen.includes(text))),
  };
}

async function readEntries(runDir: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let at = journalStart;
  await using reader = openJournalReader(runDir, { shimAlive: () => true });
  for (;;) {
    const read = await reader.read(at);
    if (read.kind === 'gap') {
      at = read.to;
      continue;
    }
    if (read.kind !== 'frames') return entries;
    for (const frame of read.frames) {
      if (frame.kind === 'output') {
        const stream = frame.stream ?? 'none';
        entries.push({ kind: 'output', stream, bytes: Buffer.from(frame.payload) });
      } else {
        const record = parseFrameRecord(frame);
        if (record !== undefined) entries.push(record);
      }
    }
    at = read.next;
  }
}

/* The descriptors of a process, as `number → what`. */
export function descriptorsOf(pid: number): ReadonlyMap<number, string> {
  const targets = new Map<number, string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      targets.set(Number(name), readlinkSync(`/proc/${pid}/fd/${name}`));
    } catch {
      /* Closed since: a loader's, a moment after exec. */
    }
  }
  return targets;
}

/* A line of /proc/PID/status. */
export function statusOf(pid: number, name: string): string {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name}:`));
  if (line === undefined) throw new Error(`no ${name} in the status of ${pid}`);
  return line.slice(name.length + 1).trim();
}

/* Field 22 of /proc/PID/stat. */
export function startTicksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}
