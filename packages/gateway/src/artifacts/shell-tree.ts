/*
 * A directory that is looked at by a shell: on an SSH host, or here as another Unix user. The shell has the rights of that user and no more.
 *
 * It enters a directory and then asks where it is: if that is not where it meant to go, a link led it away, and it stops (AT1). From there on
 * the directory is its own, and files are opened by their last name, through no link where `dd` knows how to refuse one.
 *
 * An answer begins with a line of ours, because a login shell may say something first. What it lists is only a hint: a name with a line break in it
 * can make a line look like another file, which is then looked for, and refused, as any other.
 */
import type { MissingReason } from '@clawdfather/agents';
import {
  type ArtifactTree,
  type FoundFile,
  MissingList,
  type ReadFile,
  type Take,
  TreeError,
} from './artifact-tree.ts';
import { depthMax, entriesMax, fileBytesMax, pathCharactersMax } from './limits.ts';

export type ShellArgv = readonly [string, ...string[]];

export interface ShellRun {
  readonly argv: ShellArgv;
  /* Of its standard output, piece by piece; the next one is read when it is taken. */
  readonly take: Take;
  readonly signal: AbortSignal;
}

/* Its exit code. Throws a `TreeError` where there is no way to it. */
export type RunShell = (run: ShellRun) => Promise<number>;

const stats = `if stat -c %f / >/dev/null 2>&1; then s() { stat -c '%f %s %Y %n' -- "$@"; }; else s() { stat -f '%Xp %z %m %N' -- "$@"; }; fi
home() { cd -P -- "$1" 2>/dev/null && r=$(pwd -P) && r=\${r%/}; }
go() { cd -P -- "./$1" 2>/dev/null && [ "$(pwd -P)" = "$r/$1" ]; }`;

/* $1 the directory, then the ones below it. One entry a line: mode, size, time, name. */
const listScript = `${stats}
home "$1" || { echo "CLF-TREE none"; exit; }
echo "CLF-TREE ok"; shift
for d; do
[ -e "$d" ] || [ -L "$d" ] || continue
( go "$d" || { echo "CLF-LINK $d"; exit; }
echo "CLF-DIR $d"
if stat -c %f / >/dev/null 2>&1; then find . ! -name . -exec stat -c '%f %s %Y %n' -- {} + 2>/dev/null
else find . ! -name . -exec stat -f '%Xp %z %m %N' -- {} + 2>/dev/null; fi | head -n ${entriesMax + 1} )
done
echo "CLF-DONE"`;

/* $1 the directory, $2 the one below it, $3 the name, $4 whether a system that cannot refuse links may be used. */
const readScript = `${stats}
say() { echo "CLF-FILE $1"; exit; }
home "$1" || say vanished
[ -e "./$2" ] || [ -L "./$2" ] || say vanished
go "$2" || say symlink
f=./$3
[ ! -L "$f" ] || say symlink
[ -e "$f" ] || say vanished
[ -f "$f" ] || say not-a-file
[ -r "$f" ] || say unreadable
a=$(s "$f") || say vanished
set -- "$4" $a
[ "$3" -le ${fileBytesMax} ] || say too-large
if dd if=/dev/null of=/dev/null iflag=nofollow,nonblock,fullblock 2>/dev/null; then
echo "CLF-FILE file $3 $4"; dd if="$f" bs=65536 iflag=nofollow,nonblock,fullblock 2>/dev/null | head -c "$3"
elif [ "$1" = loose ]; then echo "CLF-FILE file $3 $4"; head -c "$3" < "$f"
else say unreadable; fi
[ "$(s "$f")" = "$a" ] && echo "CLF-END same" || echo "CLF-END changed"`;

export interface ShellTreeOptions {
  readonly directory: string;
  /* A system whose `dd` cannot refuse links is good enough: its user may read all that the agent may. */
  readonly isLoose: boolean;
}

export function createShellTree(
  run: RunShell,
  { directory, isLoose }: ShellTreeOptions,
): ArtifactTree {
  return {
    list: async (dirs, signal) => {
      const text = await listText(run, { directory, dirs, signal });
      const at = text.indexOf('CLF-TREE ');
      if (at < 0) throw new TreeError('unreachable');
      const [first = '', ...lines] = text.slice(at).split('\n');
      if (first !== 'CLF-TREE ok') throw new TreeError('vanished');
      if (!lines.includes('CLF-DONE')) throw new TreeError('unreachable');
      return parseListing(lines, dirs);
    },
    read: async ({ path }, take, signal) => {
      const cut = path.lastIndexOf('/');
      const below = [
        path.slice(0, cut),
        path.slice(cut + 1),
        isLoose ? 'loose' : 'strict',
      ] as const;
      const argv = ['sh', '-c', readScript, 'clf', directory, ...below] as const;
      const reader = createFileReader(take);
      await run({ argv, take: reader.take, signal });
      return reader.outcome();
    },
  };
}

/* As much as the entries of a walk can take. */
const listBytesMax = 16 * 1024 ** 2;

async function listText(
  run: RunShell,
  wish: {
    readonly directory: string;
    readonly dirs: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { directory, dirs, signal } = wish;
  const pieces: Buffer[] = [];
  let left = listBytesMax;
  const take: Take = async (piece) => {
    if (left > 0) pieces.push(Buffer.from(piece.subarray(0, left)));
    left -= piece.length;
  };
  await run({ argv: ['sh', '-c', listScript, 'clf', directory, ...dirs], take, signal });
  return Buffer.concat(pieces).toString('utf8');
}

const entryPattern = /^([0-9a-f]{3,8}) (\d{1,15}) (-?\d{1,12}) \.\/(.+)$/i;
const typeMask = 0o170000;
const types = { file: 0o100000, directory: 0o040000, link: 0o120000 } as const;

function parseListing(
  lines: readonly string[],
  dirs: readonly string[],
): { readonly files: readonly FoundFile[]; readonly missing: MissingList } {
  const files = new Map<string, FoundFile>();
  const missing = new MissingList();
  let dir = '';
  let entries = 0;
  for (const line of lines) {
    const [, word, name = ''] = /^CLF-(LINK|DIR) (.*)$/.exec(line) ?? [];
    if (word !== undefined && dirs.includes(name)) {
      if (word === 'LINK') missing.add(name, 'symlink');
      else dir = name;
      continue;
    }
    if (dir === '' || line === '' || line === 'CLF-DONE') continue;
    entries += 1;
    if (entries > entriesMax) {
      missing.add(dir, 'too-many');
      break;
    }
    addEntry({ files, missing }, dir, line);
  }
  return { files: [...files.values()], missing };
}

function addEntry(
  { files, missing }: { readonly files: Map<string, FoundFile>; readonly missing: MissingList },
  dir: string,
  line: string,
): void {
  const [, mode = '', size = '', seconds = '', name = ''] = entryPattern.exec(line) ?? [];
  const path = `${dir}/${name}`;
  const type = Number.parseInt(mode, 16) & typeMask;
  if (name === '' || !isPlain(path)) missing.add(name === '' ? `${dir}/${line}` : path, 'odd-name');
  else if (type === types.link) missing.add(path, 'symlink');
  else if (type === types.directory) {
    if (name.split('/').length >= depthMax) missing.add(path, 'too-deep');
  } else if (type !== types.file) missing.add(path, 'not-a-file');
  else if (name.split('/').length > depthMax) missing.add(path, 'too-deep');
  else if (Number(size) > fileBytesMax) missing.add(path, 'too-large');
  else files.set(path, { path, sizeBytes: Number(size), modifiedAtMs: Number(seconds) * 1_000 });
}

function isPlain(path: string): boolean {
  if (path.length > pathCharactersMax || /[\p{Cc}\ufffd]/u.test(path)) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

const noiseBytesMax = 64 * 1024;
const trailerBytesMax = 64;

/* Header, as many bytes as it says, trailer; they come in pieces of any length. */
function createFileReader(take: Take) {
  let head = Buffer.alloc(0);
  let header: { readonly size: number; readonly modifiedAtMs: number } | MissingReason | undefined;
  let left = 0;
  let tail = '';
  const takeBody = async (piece: Uint8Array): Promise<void> => {
    const body = piece.subarray(0, left);
    left -= body.length;
    if (body.length > 0) await take(body);
    if (tail.length < trailerBytesMax) {
      tail += Buffer.from(piece.subarray(body.length)).toString('latin1');
    }
  };
  return {
    take: async (piece: Uint8Array): Promise<void> => {
      if (header !== undefined) {
        if (typeof header !== 'string') await takeBody(piece);
        return;
      }
      if (head.length < noiseBytesMax) head = Buffer.concat([head, piece]);
      const at = head.indexOf('CLF-FILE ');
      const end = at < 0 ? -1 : head.indexOf('\n', at);
      if (end < 0) return;
      header = parseHeader(head.toString('latin1', at + 'CLF-FILE '.length, end));
      if (typeof header === 'string') return;
      left = header.size;
      await takeBody(head.subarray(end + 1));
    },
    outcome: (): ReadFile | MissingReason => {
      if (header === undefined) return 'unreachable';
      if (typeof header === 'string') return header;
      return tail === 'CLF-END same\n' ? { modifiedAtMs: header.modifiedAtMs } : 'changed';
    },
  };
}

const refusals: readonly MissingReason[] = [
  'symlink',
  'vanished',
  'not-a-file',
  'unreadable',
  'too-large',
];

function parseHeader(line: string) {
  const [, size, seconds] = /^file (\d{1,15}) (-?\d{1,12})$/.exec(line) ?? [];
  if (size === undefined || Number(size) > fileBytesMax) {
    return refusals.find((reason) => reason === line) ?? 'unreadable';
  }
  return { size: Number(size), modifiedAtMs: Number(seconds) * 1_000 };
}
