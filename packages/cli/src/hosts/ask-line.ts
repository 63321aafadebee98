/*
 * Questions to a person at a terminal, answered line by line.
 *
 * The input is read once for the whole conversation, so a line that is typed ahead answers the next question.
 */
import type { Io } from '../io/io.ts';

export interface Questions extends AsyncDisposable {
  /* What was typed, without blanks around it. `undefined`: the input has ended, and no answer will come. */
  ask(prompt: string): Promise<string | undefined>;
  /* Only `y` and `yes` are a yes. */
  confirm(prompt: string): Promise<boolean>;
}

/* Of a line; the rest is dropped. */
const charactersMax = 256;

export function openQuestions({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): Questions {
  const stop = new AbortController();
  const lines = readLines(stdin.read(stop.signal));
  const ask = async (prompt: string): Promise<string | undefined> => {
    await stderr.write(prompt);
    const { value, done } = await lines.next();
    if (done !== true) return value;
    // No line end was typed, and what follows begins on a line of its own.
    await stderr.write('\n');
    return undefined;
  };
  return {
    ask,
    confirm: async (prompt) => /^y(es)?$/i.test((await ask(`${prompt} [y/N] `)) ?? ''),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await lines.return(undefined);
    },
  };
}

async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, undefined, undefined> {
  let held = '';
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true });
    for (let end = held.search(/[\r\n]/); end >= 0; end = held.search(/[\r\n]/)) {
      const line = held.slice(0, end);
      held = held.slice(end + 1);
      yield line.slice(0, charactersMax).trim();
    }
    held = held.slice(0, charactersMax);
  }
  return undefined;
}
