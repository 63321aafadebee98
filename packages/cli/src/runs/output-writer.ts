/*
 * A run's output onto our own stdout and stderr: the bytes as they are, or one
 * JSON object per line. One writer serves `run` and `logs`.
 */
import type { Cursor, OutputEvent, RunExit } from '@clawdfather/supervisor';
import { exitChecksFailed, exitOk } from '../exit-status.ts';
import type { Io } from '../io/io.ts';
import { formatBytes } from '../render/bytes.ts';
import { formatInstant } from '../render/duration.ts';
import { formatUnsaved } from '../render/exit-text.ts';
import { type Json, jsonLine } from '../render/run-json.ts';

export interface OutputWriter {
  /* The exit code, where 0 would be wrong: something of what was written is damaged or lost. */
  codeAfter(code: number): number;
  write(event: OutputEvent): Promise<void>;
  /* J4: what the disk did not take is in no journal; only how the run ended tells of it. */
  writeUnsaved(exit: Pick<RunExit, 'undrainedBytes' | 'cursor'>): Promise<void>;
}

export interface OutputWriterOptions {
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
  readonly isJson: boolean;
  /* Only this stream; undefined is both. */
  readonly stream?: 'stdout' | 'stderr' | undefined;
  /* What happens to the bytes on the way; whole lines with times, say. */
  readonly shape?: (event: Extract<OutputEvent, { kind: 'output' }>) => Uint8Array | string;
}

export function createOutputWriter(options: OutputWriterOptions): OutputWriter {
  const { io } = options;
  let isWhole = true;
  /* Told once: reading again at the same place finds the same damage. */
  let damagedAt: Cursor | undefined;
  /* For people once, until there is output again: what a living run writes behind the damage adds to it with every line. */
  let isDamageTold = false;
  const writeRaw = async (event: OutputEvent): Promise<void> => {
    if (event.kind === 'output') {
      const sink = event.stream === 'stdout' ? io.stdout : io.stderr;
      await sink.write(options.shape?.(event) ?? event.bytes);
      isDamageTold = false;
      return;
    }
    if (event.kind === 'damaged' && isDamageTold) return;
    isDamageTold = event.kind === 'damaged';
    const notice = noticeOf(event);
    if (notice !== undefined) await io.stderr.write(`clf: ${notice}\n`);
  };
  return {
    codeAfter: (code) => (code === exitOk && !isWhole ? exitChecksFailed : code),
    write: async (event) => {
      if (event.kind === 'damaged' || event.kind === 'tail-lost') {
        isWhole = false;
        if (damagedAt === event.cursor) return;
        damagedAt = event.cursor;
      }
      const isHidden =
        event.kind === 'output' && options.stream !== undefined && event.stream !== options.stream;
      if (isHidden) return;
      if (options.isJson) await io.stdout.write(jsonLine(eventJson(event)));
      else await writeRaw(event);
    },
    writeUnsaved: async (exit) => {
      const notice = formatUnsaved(exit);
      if (notice === undefined) return;
      isWhole = false;
      const { undrainedBytes: missedBytes, cursor } = exit;
      await (options.isJson
        ? io.stdout.write(jsonLine({ type: 'unsaved', missedBytes, cursor }))
        : io.stderr.write(`clf: ${notice}\n`));
    },
  };
}

export function eventJson(event: OutputEvent): Json {
  switch (event.kind) {
    case 'output':
      return {
        type: 'output',
        stream: event.stream,
        at: formatInstant(event.atMs),
        data: Buffer.from(event.bytes).toString('base64'),
        cursor: event.cursor,
      };
    case 'gap':
      return { type: 'gap', missedBytes: event.missedBytes, cursor: event.cursor };
    case 'damaged':
    case 'tail-lost':
      return { type: event.kind, missedBytes: event.missedBytes, cursor: event.cursor };
    case 'resize':
      return { type: 'resize', cols: event.cols, rows: event.rows, cursor: event.cursor };
    case 'attached':
      return { type: 'attached', terminals: event.terminals, cursor: event.cursor };
  }
}

function noticeOf(event: Exclude<OutputEvent, { kind: 'output' }>): string | undefined {
  switch (event.kind) {
    case 'gap':
      return `${formatBytes(event.missedBytes)} are missing here: the journal's limit was reached and the oldest went`;
    case 'damaged':
      return `the journal is damaged here: ${formatBytes(event.missedBytes)} of it were cut, deleted or altered on disk`;
    case 'tail-lost':
      return event.missedBytes > 0
        ? `the end is missing: ${formatBytes(event.missedBytes)} of the journal were cut off or deleted`
        : 'the end may be missing: the journal has no end record, as after a power loss or when its shim was killed';
    case 'resize':
    case 'attached':
      return undefined;
  }
}
