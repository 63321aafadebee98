/*
 * A run in memory, for what is about us and not about processes: its output is
 * pushed by the test, what it is asked is written down.
 */
import type { ManagedRun, OutputEvent, RunExit, TreeEnd } from '@clawdfather/supervisor';
import { deferred, orAborted } from '@clawdfather/kit';
import { cursor, exitWith, recordWith, runId } from './records.ts';

export interface FakeRun extends ManagedRun {
  readonly calls: string[];
  say(text: string, stream?: 'stdout' | 'stderr'): void;
  push(event: OutputEvent): void;
  /* Ends the output and settles `wait`. */
  finish(exit?: Partial<RunExit>): void;
  /* Settles `waitTree`. */
  endTree(end?: TreeEnd): void;
}

export function outputEvent(text: string, at = 0): Extract<OutputEvent, { kind: 'output' }> {
  return {
    kind: 'output',
    stream: 'stdout',
    bytes: Buffer.from(text, 'latin1'),
    atMs: 0,
    cursor: cursor(`${at}.0`),
  };
}

export function createFakeRun(options: { readonly isAnswerer?: boolean } = {}): FakeRun {
  const calls: string[] = [];
  const events: OutputEvent[] = [];
  const exit = deferred<RunExit>();
  const treeGone = deferred<TreeEnd | undefined>();
  let wake = deferred();
  let isFinished = false;
  const note = (text: string): Promise<void> => {
    calls.push(text);
    return Promise.resolve();
  };
  const push = (event: OutputEvent): void => {
    events.push(event);
    wake.resolve();
  };
  const output: ManagedRun['output'] = async function* (_from, signal) {
    for (let at = 0; ; ) {
      const event = events[at];
      if (event !== undefined) {
        at += 1;
        yield event;
      } else if (isFinished || signal?.aborted === true) {
        return;
      } else {
        wake = deferred();
        signal?.addEventListener('abort', () => wake.resolve(), { once: true });
        await wake.promise;
      }
    }
  };
  return {
    runId: runId('3k9qv7hd2m5x8abc'),
    pid: 4_242,
    ending: new AbortController().signal,
    calls,
    push,
    say: (text, stream = 'stdout') => push({ ...outputEvent(text, events.length + 1), stream }),
    finish: (over = {}) => {
      isFinished = true;
      exit.resolve(exitWith(over));
      wake.resolve();
    },
    endTree: (end) => treeGone.resolve(end),
    wait: (signal) => (signal === undefined ? exit.promise : orAborted(exit.promise, signal)),
    output,
    outputLent: output,
    transcript: output,
    write: (data) => note(`write ${JSON.stringify(Buffer.from(data).toString('latin1'))}`),
    acknowledge: (cursor) => note(`acknowledge ${cursor}`),
    end: () => note('end'),
    resize: ({ cols, rows }) => note(`resize ${cols}x${rows}`),
    holdSize: () => Promise.reject(new Error('a fake has no size to hold')),
    signal: (name, actor) => note(['signal', name, actor].filter(Boolean).join(' ')),
    outputSoFar: async function* (from) {
      const start = events.findIndex((event) => event.cursor === from) + 1;
      yield* events.slice(start);
    },
    waitTree: (signal) => {
      signal?.addEventListener('abort', () => treeGone.reject(signal.reason), { once: true });
      return treeGone.promise;
    },
    cancel: (reason, actor, graceMs) =>
      note(['cancel', reason, actor, graceMs].filter((word) => word !== undefined).join(' ')),
    openTerminal: () =>
      Promise.resolve({
        answerer: options.isAnswerer ?? true,
        place: (options.isAnswerer ?? true) ? 1 : 2,
        cursor: events.at(-1)?.cursor ?? cursor('0.0'),
        resize: ({ cols, rows }) => note(`resize ${cols}x${rows}`),
        close: () => note('close terminal'),
      }),
    snapshot: () => recordWith(),
  };
}
