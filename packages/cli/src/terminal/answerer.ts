/*
 * Answers terminal queries for a run on which no terminal is attached (E8).
 *
 * Fed with the run's output in journal order. The notes about attached
 * terminals lie in the same order, so it is exact which query belongs to whom:
 * those before a terminal came are answered here, those after it by that
 * terminal, and history that is read again is answered by nobody, since feeding
 * starts where answering starts.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import type { TerminalSize } from '../io/io.ts';
import { createScreenModel, type ScreenModel } from './screen-model.ts';

export interface Answerer {
  /* Resolves when the event is taken in; answers follow by themselves, in order. */
  push(event: OutputEvent): Promise<void>;
  /* Resolves when every answer so far is handed over. */
  settled(): Promise<void>;
  dispose(): void;
}

export interface AnswererOptions {
  readonly size: TerminalSize;
  /* Types the answer into the run. */
  readonly answer: (text: string) => Promise<void>;
}

/* The model comes back at most a thousand times a second; it is waited for once per so many bytes. */
const unparsedBytesMax = 256 * 1_024;

export function createAnswerer(options: AnswererOptions): Answerer {
  let isTerminalAttached = false;
  let parsing: Promise<void> = Promise.resolve();
  let unparsedBytes = 0;
  let answering: Promise<void> = Promise.resolve();
  const model: ScreenModel = createScreenModel({
    size: options.size,
    answer: (text) => {
      if (!isTerminalAttached) answering = answering.then(() => options.answer(text));
    },
  });
  const parsed = async (): Promise<void> => {
    unparsedBytes = 0;
    await parsing;
  };
  return {
    push: async (event) => {
      switch (event.kind) {
        case 'output':
          parsing = model.write(event.bytes);
          unparsedBytes += event.bytes.length;
          if (unparsedBytes > unparsedBytesMax) await parsed();
          return;
        case 'resize':
          await parsed();
          model.resize(event);
          return;
        case 'attached':
          // What was asked before is still ours to answer, exactly.
          await parsed();
          isTerminalAttached = event.terminals > 0;
          return;
        case 'gap':
        case 'tail-lost':
          // Half a sequence may be missing; what follows is parsed from a clean start.
          parsing = model.write('\u0018');
          return;
      }
    },
    settled: async () => {
      await parsed();
      await answering;
    },
    dispose: () => model.dispose(),
  };
}
