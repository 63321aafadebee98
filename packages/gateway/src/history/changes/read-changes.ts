/*
 * The changes of one turn, read and compared within bounds: so many events, so many bytes, so much time. What is beyond them is told as
 * such.
 */
import type { EventRow, ThreadHistory } from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import { type ChangedFile, collectEdits } from './collect-edits.ts';
import { diffFile, type FileDiff } from './diff-file.ts';

/* A turn with more calls of tools is told in part. */
const eventsMax = 5_000;
const lotEvents = 16;
/* Of one event: two sides of a file that is shown at all. A larger one is left out, and counted. */
const eventBytesMax = 2 * 1024 * 1024;
const bytesMax = 32 * 1024 * 1024;
/* Of a list: some seconds of a phone's scrolling. */
const filesMax = 500;
const countMsMax = 1_000;

export interface TurnChanges {
  readonly files: readonly ChangedFile[];
  /* There was more than is read: files may be missing, or not at their newest. */
  readonly isPartial: boolean;
}

export async function readChanges(
  history: Pick<ThreadHistory, 'tools'>,
  { threadId, turnId }: { readonly threadId: string; readonly turnId: string },
): Promise<TurnChanges> {
  const events: EventRow[] = [];
  let isPartial = false;
  let bytes = 0;
  for (let after = 0; ; ) {
    const range = { turnId, after, limit: lotEvents, bytesMax: eventBytesMax };
    const lot = await history.tools(threadId, range);
    for (const event of lot) {
      if (event.wholeBytes === undefined) events.push(event);
      else isPartial = true;
      bytes += event.wholeBytes === undefined ? sizeOf(event.payload) : 0;
    }
    after = lot.at(-1)?.seq ?? after;
    if (lot.length < lotEvents) break;
    if (events.length < eventsMax && bytes < bytesMax) continue;
    isPartial = true;
    break;
  }
  const files = collectEdits(events);
  return { files: files.slice(0, filesMax), isPartial: isPartial || files.length > filesMax };
}

/* Of the texts that weigh. */
function sizeOf({ content }: EventRow['payload']): number {
  return content === undefined ? 0 : JSON.stringify(content).length;
}

/* Undefined: there was no time left to compare it. */
export async function diffAll(
  files: readonly ChangedFile[],
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
): Promise<readonly (FileDiff | undefined)[]> {
  const untilMs = clock.monotonicMs() + countMsMax;
  const diffs: (FileDiff | undefined)[] = [];
  for (const file of files) {
    // Others are served between two files.
    await clock.sleep(0);
    diffs.push(clock.monotonicMs() < untilMs ? diffFile(file) : undefined);
  }
  return diffs;
}
