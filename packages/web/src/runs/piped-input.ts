/*
 * Input for a run on pipes: each piece at its place, once, also after an answer was lost (next-input.ts). One piece at a time.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type Client, RefusedError } from '@clawdfather/sdk';
import { goesWithDoubt, type InputEvent, type InputState, nextInput } from './next-input.ts';

export interface PipedInput {
  readonly state: ReadonlySignal<InputState>;
  /* False: the program does not read, and what was given is kept for it. */
  give(data: string, isEof: boolean): Promise<boolean>;
  /* The run was read: so far its input stands. */
  told(inputOffset: number): void;
}

export function createPipedInput(
  client: Pick<Client, 'runs'>,
  runId: string,
  offset: number,
): PipedInput {
  const state = signal<InputState>({ kind: 'sure', offset });
  const take = (event: InputEvent): InputState => {
    state.value = nextInput(state.value, event);
    return state.value;
  };
  const params = { id: runId };
  return {
    state,
    told: (inputOffset) => void take({ kind: 'told', inputOffset }),
    give: async (data, isEof) => {
      if (!goesWithDoubt(state.value, data)) {
        const { inputOffset } = await client.runs.get({ params });
        take({ kind: 'asked', inputOffset });
      }
      const { offset: at } = take({ kind: 'given', data });
      try {
        const answer = await client.runs.input({ params, body: { offset: at, data, eof: isEof } });
        take({ kind: 'taken', inputOffset: answer.inputOffset });
        return answer.isDelivered;
      } catch (error) {
        const expected = error instanceof RefusedError ? error.detail['expected'] : undefined;
        // Any other refusal may come after it was committed: `input_blocked` does.
        if (typeof expected === 'number') take({ kind: 'misplaced', inputOffset: expected });
        else take({ kind: 'unanswered' });
        throw error;
      }
    },
  };
}

/* What is left to send of words that stand in the field, if those that were in doubt have arrived. */
export function withoutLate(words: string, late: string): string {
  if (words === late || `${words}\n` === late) return '';
  return words.startsWith(late) ? words.slice(late.length) : words;
}
