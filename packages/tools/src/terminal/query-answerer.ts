/*
 * Answers terminal queries for a run on which no terminal is attached (E8).
 *
 * Fed with the run's output in journal order. The notes about attached terminals lie in the same order, so it is exact
 * who answers which query: those before a terminal came are answered here, those after it by that terminal. History
 * is fed with `isLive: false`: it brings the model to where the program is, and is not answered.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import { openTerminalModel } from './terminal-model.ts';
import type { TerminalSize } from './terminal-size.ts';

export interface QueryAnswerer {
  /* Resolves when the event is taken in; answers follow by themselves, in order. Default: live. */
  push(event: OutputEvent, options?: { readonly isLive: boolean }): Promise<void>;
  /* Resolves when every answer so far is handed over. */
  settled(): Promise<void>;
  close(): void;
}

export interface QueryAnswererOptions {
  /* At the start; the run's own notes follow. */
  readonly size: TerminalSize;
  /* Types the answer into the run. Must not reject: a run that has ended needs no answer. */
  readonly answer: (text: string) => Promise<void>;
}

/* The model comes back at most a thousand times a second; it is waited for once per so many bytes. */
const unparsedBytesMax = 256 * 1_024;

/*
 * A program that asks more than it reads does not need the answers, and typing them all would keep others waiting. Some ask for
 * all of 256 colours at once.
 */
const waitingAnswersMax = 4_096;

export async function openQueryAnswerer(options: QueryAnswererOptions): Promise<QueryAnswerer> {
  let isTerminalAttached = false;
  let isLive = true;
  let parsing: Promise<void> = Promise.resolve();
  let unparsedBytes = 0;
  let answering: Promise<void> = Promise.resolve();
  let waitingAnswers = 0;
  const answer = (text: string): void => {
    if (!isLive || isTerminalAttached || waitingAnswers >= waitingAnswersMax) return;
    waitingAnswers += 1;
    answering = answering
      .then(() => options.answer(text))
      .then(() => {
        waitingAnswers -= 1;
      });
  };
  const model = await openTerminalModel({
    ...options.size,
    answer,
  });
  const parsed = async (): Promise<void> => {
    unparsedBytes = 0;
    await parsing;
  };
  const take = async (event: OutputEvent): Promise<void> => {
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
        // Queries before this point are still ours to answer.
        await parsed();
        isTerminalAttached = event.terminals > 0;
        return;
      case 'gap':
      case 'damaged':
      case 'tail-lost':
        // Half a sequence may be missing; what follows is parsed from a clean start.
        parsing = model.write('\u0018');
        return;
    }
  };
  return {
    push: async (event, { isLive: isEventLive } = { isLive: true }) => {
      // What was read before the edge is parsed before it, or its queries would count as new.
      if (isEventLive !== isLive) await parsed();
      isLive = isEventLive;
      await take(event);
    },
    settled: async () => {
      await parsed();
      await answering;
    },
    close: () => model.close(),
  };
}
