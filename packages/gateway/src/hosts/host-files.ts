/*
 * Files of a host, whole: their hash, their text, and a write that happens whole or not at all. Each is one short command through the
 * connection; contents go over standard input and output, never in a command line.
 *
 * HF1 A write goes to a file beside, which takes the place of the other when it is whole and the other still is what it was. A gateway that is
 *     killed in the middle leaves the file as it was.
 * HF2 What a login shell says before is no answer: an answer begins with a line of ours.
 */
import { fileBytesMax } from '@clawdfather/agents';
import type { HostWrite } from '@clawdfather/threads';
import { ToolsError } from '@clawdfather/tools';
import type { Answer } from './through-master.ts';

export interface ShortCommand {
  readonly argv: readonly [string, ...string[]];
  readonly stdin?: string;
  readonly stdoutBytesMax?: number;
}

/* Throws `host-unreachable` where there is no answer. */
export type RunShort = (command: ShortCommand) => Promise<Answer>;

const hashing = `h() { if command -v sha256sum >/dev/null 2>&1; then sha256sum; elif command -v shasum >/dev/null 2>&1; then shasum -a 256; else openssl dgst -sha256 -r; fi; }
now() { if [ -f "$1" ]; then x=$(h < "$1") && echo "\${x%% *}" || echo unreadable; elif [ -e "$1" ] || [ -L "$1" ]; then echo special; else echo none; fi; }`;

const hashScript = `${hashing}
echo "CLF-FILE $(now "$1" 2>/dev/null)"`;

const readScript = `if [ -f "$1" ]; then
n=$(wc -c < "$1") || { echo "CLF-FILE unreadable"; exit; }
[ "$n" -le ${fileBytesMax} ] || { echo "CLF-FILE large"; exit; }
echo "CLF-FILE text"; exec cat < "$1"
elif [ -e "$1" ] || [ -L "$1" ]; then echo "CLF-FILE special"; else echo "CLF-FILE none"; fi`;

/* $1 the file, $2 the hash that it has, $3 the one that it will have, $4 a name for the file beside. */
const writeScript = `${hashing}
f=$1; [ ! -L "$f" ] || f=$(readlink -f -- "$f") || { echo "CLF-FILE special"; exit; }
d=\${f%/*}; b=\${d:-/}/.clf-$4
end() { rm -f -- "$b"; echo "CLF-FILE $1"; exit; }
rm -f -- "$b"
[ ! -f "$f" ] || cp -p -- "$f" "$b" || end unwritable
cat > "$b" || end unwritable
[ "$(now "$b")" = "$3" ] || end cut
[ "$(now "$f")" = "$2" ] || end changed
mv -f -- "$b" "$f" || end unwritable
echo "CLF-FILE written"`;

/* Something is there, or should be, and cannot be had. Sentences for an agent. */
const refusals: Readonly<Record<string, string>> = {
  large: `it has more than ${fileBytesMax} bytes`,
  none: 'there is no such file',
  special: 'it is a directory or another thing that is no file',
  unreadable: 'it may not be read',
  unwritable: 'it cannot be written: its directory is not there, not writable, or the disk is full',
};

export async function hashOnHost(run: RunShort, path: string): Promise<string | undefined> {
  const { word } = answerOf(await run({ argv: ['sh', '-c', hashScript, 'clf', path] }));
  if (word === 'none') return undefined;
  if (/^[0-9a-f]{64}$/.test(word)) return word;
  throw refusal(path, word);
}

export async function readOnHost(run: RunShort, path: string): Promise<string> {
  const stdoutBytesMax = fileBytesMax + noiseBytesMax;
  const answer = await run({ argv: ['sh', '-c', readScript, 'clf', path], stdoutBytesMax });
  const { word, rest } = answerOf(answer);
  if (word !== 'text') throw refusal(path, word);
  if (answer.code !== 0) throw refusal(path, 'unreadable');
  if (rest.length > fileBytesMax) throw refusal(path, 'large');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rest);
  } catch {
    throw new ToolsError('params-invalid', `${path}: it is no text`);
  }
}

/* HF1 */
export async function writeOnHost(
  run: RunShort,
  { path, text, oldHash = 'none', newHash, name }: HostWrite,
): Promise<'written' | 'changed'> {
  const argv = ['sh', '-c', writeScript, 'clf', path, oldHash, newHash, name] as const;
  const { word } = answerOf(await run({ argv, stdin: text }));
  if (word === 'written' || word === 'changed') return word;
  // Not all of it arrived: the next look finds out what is there.
  if (word === 'cut') throw noAnswer();
  throw refusal(path, word);
}

/* What a login shell may say before. */
const noiseBytesMax = 64 * 1024;
const mark = Buffer.from('CLF-FILE ');

/* HF2 */
function answerOf({ bytes }: Answer): { readonly word: string; readonly rest: Buffer } {
  const at = bytes.indexOf(mark);
  const end = bytes.indexOf('\n', at);
  if (at < 0 || end < 0) throw noAnswer();
  const word = bytes.toString('latin1', at + mark.length, end);
  return { word, rest: bytes.subarray(end + 1) };
}

function refusal(path: string, word: string): ToolsError {
  return new ToolsError('params-invalid', `${path}: ${refusals[word] ?? 'it cannot be had'}`);
}

function noAnswer(): ToolsError {
  return new ToolsError('host-unreachable', 'the host gave no answer');
}
