/*
 * What is sent to a host so that a command starts there as it was meant, whatever login shell reads it.
 *
 * sshd hands the exec string to the login shell: sh, bash, zsh, fish, tcsh. So it is made of words that mean the same to all of
 * them: `exec sh -c`, and words in single quotes without `'`, `\` before a quote, `!` and line ends. A script that has none of
 * these is given to sh as it is. For any other the first word is a fixed script, and the second our script, in which every byte that
 * is not plain is written as `\0ooo`, which `printf %b` turns back; that costs a fork on the host, half a millisecond.
 *
 * Where the script must not be seen in the host's list of processes, or is too long, it is sent over standard input instead, as
 * one line; the command has the rest of the input to itself. An end of input instead of that line starts nothing.
 *
 * The script reads its own start from /proc and prints a header with it; goes to the directory; sets the environment; and becomes
 * the command, with `exec`: one process from the first shell on, the leader of the session that sshd made for it. The words of
 * the command are set before the environment is: no name in it can change them.
 */
import { SshError } from '../errors.ts';
import { quotePosix } from './quote-posix.ts';

/*
 * The kernel takes 131,071 bytes for one argument. The login shell gets the whole exec string as one, and before that our client
 * gets it in one variable of its environment, whose name counts, too.
 */
export const execStringBytesMax = 131_000;
/* The same, for the line that the login shell is given in the end. */
export const lineBytesMax = 131_071;

/* Exit codes of the bootstrap itself. */
export const bootstrapExit = {
  /* The directory is not there, or may not be entered. */
  noDirectory: 252,
  /* The script did not arrive. */
  noScript: 254,
} as const;

const decoder = 'p=$(printf %bx "$1"); eval "${p%x}"';
const reader = `IFS= read -r p && eval "$p"; exit ${bootstrapExit.noScript}`;

/* An exec string that runs POSIX statements, whatever the login shell. Each is whole by itself. */
export function formatBootstrap(statements: readonly string[]): string {
  const line = statements.join('; ');
  return sameToAllShells.test(line)
    ? `exec sh -c '${line}' clf`
    : encodeBootstrap(statements.join('\n'));
}

/* Printable, without `'` and `!`; a backslash only before a digit, as in what encodeScript writes. */
const sameToAllShells = /^(?:[ "-&(-[\]-~]|\\(?=[0-9]))*$/;

/* The same for a script of any form. */
export function encodeBootstrap(script: string): string {
  return `exec sh -c '${decoder}' clf '${encodeScript(script)}'`;
}

/* An exec string that says nothing: the script comes as one line of standard input (formatPayload). */
export const stdinBootstrap = `exec sh -c '${reader}' clf`;

/* Letters, digits and the signs that mean nothing to any shell between single quotes. */
function encodeScript(script: string): string {
  let text = '';
  for (const byte of Buffer.from(script)) {
    const isPlain = byte >= 0x20 && byte < 0x7f && !unplain.includes(byte);
    text += isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}

const unplain = ["'", '\\', '!'].map((sign) => sign.charCodeAt(0));

/* `clf_n` is a line end: a script that has to be one line cannot have it in a word otherwise. */
export const lineEndSetup = `clf_n=$(printf '\\012x'); clf_n=\${clf_n%x}`;

const plainWord = /^[A-Za-z0-9_/.,:=@%+-]+$/;
/* Printable, and nothing that means something between double quotes to any shell. */
const doubleQuotable = /^[ #%&(-[\]-_a-~]*$/;

/* A word of a script. With `isOneLine`, line ends are taken from `clf_n`. */
export function quoteWord(text: string, isOneLine: boolean): string {
  if (plainWord.test(text)) return text;
  // Single quotes would make the whole script one that has to be encoded.
  if (doubleQuotable.test(text)) return `"${text}"`;
  const quoted = quotePosix(text);
  return isOneLine ? quoted.replaceAll('\n', `'"$clf_n"'`) : quoted;
}

export function checkBytes(what: string, text: string, max: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= max) return text;
  throw new SshError('command-too-long', `${what} has ${bytes} bytes, and a host takes ${max}`, {
    detail: { bytes, max },
    hint: 'send a script over standard input, or put it into a file on the host',
  });
}
