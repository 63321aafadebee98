/*
 * What is said to an agent: the words of the command line, with our input in the place of a last `-`, or our input alone.
 */
import { usageError } from '../errors.ts';
import type { Io } from '../io/io.ts';
import { readAllInput } from '../runs/read-all-input.ts';

/* As much as the gateway takes. */
const charactersMax = 1_000_000;

export async function readPrompt(io: Pick<Io, 'stdin'>, words: readonly string[]): Promise<string> {
  const isInputMeant = words.at(-1) === '-' || (words.length === 0 && !io.stdin.isTerminal);
  if (words.length === 0 && !isInputMeant) {
    throw usageError(
      'there is nothing to say',
      'Write it behind the command, in quotes, or pipe it in.',
    );
  }
  const typed = (words.at(-1) === '-' ? words.slice(0, -1) : words).join(' ');
  const input = isInputMeant ? await readAllInput(io) : '';
  const prompt = typed !== '' && input !== '' ? `${typed}\n\n${input}` : typed + input;
  if (prompt.trim() === '') throw usageError('there is nothing to say: the text is empty');
  if (prompt.length > charactersMax) {
    throw usageError(
      `the text has ${prompt.length} characters, and an agent is sent at most ${charactersMax}`,
      'Put it into a file, and name the file.',
    );
  }
  return prompt;
}
