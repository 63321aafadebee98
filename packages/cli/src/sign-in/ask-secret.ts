/*
 * A line that is typed or pasted and shown to nobody: a login link or a token.
 */
import { usageError } from '../errors.ts';
import type { Io } from '../io/io.ts';

/* A link with a long name in front. */
const charactersMax = 4_096;
const nothingGiven =
  'Make a link with `clf login --link` on the machine of the gateway, and paste it here, or name a file: --link-file FILE.';
const interrupt = '\u0003';
const endOfInput = '\u0004';
const erase = ['\u007f', '\b'];

/* On a terminal nothing is echoed; elsewhere it is what stdin holds. */
export async function askSecret(
  io: Pick<Io, 'stdin' | 'stderr' | 'terminal'>,
  prompt: string,
): Promise<string> {
  const { terminal } = io;
  if (terminal === undefined) return readLine(io, { isRaw: false });
  await io.stderr.write(prompt);
  terminal.setRaw(true);
  try {
    return await readLine(io, { isRaw: true });
  } finally {
    terminal.setRaw(false);
    await io.stderr.write('\n');
  }
}

async function readLine(
  { stdin }: Pick<Io, 'stdin'>,
  { isRaw }: { isRaw: boolean },
): Promise<string> {
  const stop = new AbortController();
  let text = '';
  try {
    for await (const chunk of stdin.read(stop.signal)) {
      for (const character of Buffer.from(chunk).toString()) {
        if (isRaw && character === interrupt) throw usageError('nothing was given', nothingGiven);
        if (character === '\r' || character === '\n' || character === endOfInput) {
          if (text.trim() !== '') return text.trim();
        } else if (isRaw && erase.includes(character)) text = text.slice(0, -1);
        else text += character;
        if (text.length > charactersMax) throw usageError('that is too long for a link or a token');
      }
    }
  } finally {
    stop.abort();
  }
  if (text.trim() === '') throw usageError('nothing was given', nothingGiven);
  return text.trim();
}
