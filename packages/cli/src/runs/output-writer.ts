/*
 * A run's output onto our own stdout and stderr: the bytes as they are, or one
 * JSON object per line. One writer serves `run` and `logs`.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import type { Io } from '../io/io.ts';
import { formatBytes } from '../render/bytes.ts';
import { formatInstant } from '../render/duration.ts';
import { type Json, jsonLine } from '../render/run-json.ts';

export interface OutputWriter {
  write(event: OutputEvent): Promise<void>;
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
  const writeRaw = async (event: OutputEvent): Promise<void> => {
    if (event.kind === 'output') {
      const sink = event.stream === 'stdout' ? io.stdout : io.stderr;
      await sink.write(options.shape?.(event) ?? event.bytes);
      return;
    }
    const notice = noticeOf(event);
    if (notice !== undefined) await io.stderr.write(`clf: ${notice}\n`);
  };
  return {
    write: async (event) => {
      const isHidden =
        event.kind === 'output' && options.stream !== undefined && event.stream !== options.stream;
      if (isHidden) return;
      if (options.isJson) await io.stdout.write(jsonLine(eventJson(event)));
      else await writeRaw(event);
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
    case 'tail-lost':
      return { type: 'tail-lost', cursor: event.cursor };
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
    case 'tail-lost':
      return 'the last bytes are missing: they were not on disk when the host went down';
    case 'resize':
    case 'attached':
      return undefined;
  }
}
