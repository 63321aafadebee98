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
  /* Resolves when the event is taken in and its answers are handed over. */
  push(event: OutputEvent): Promise<void>;
  dispose(): void;
}

export interface AnswererOptions {
  readonly size: TerminalSize;
  /* Types the answer into the run. */
  readonly answer: (text: string) => Promise<void>;
}

export function createAnswerer(options: AnswererOptions): Answerer {
  let isTerminalAttached = false;
  let answers = '';
  const model: ScreenModel = createScreenModel({
    size: options.size,
    answer: (text) => {
      if (!isTerminalAttached) answers += text;
    },
  });
  return {
    push: async (event) => {
      switch (event.kind) {
        case 'output':
          await model.write(event.bytes);
          break;
        case 'resize':
          model.resize(event);
          break;
        case 'attached':
          isTerminalAttached = event.terminals > 0;
          break;
        case 'gap':
        case 'tail-lost':
          // Half a sequence may be missing; what follows is parsed from a clean start.
          await model.write('\u0018');
          break;
      }
      if (answers === '') return;
      const text = answers;
      answers = '';
      await options.answer(text);
    },
    dispose: () => model.dispose(),
  };
}
