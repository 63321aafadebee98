/*
 * Lists the directories of one place, with the eyes of the user that work would run as: a shell here, as the gateway's or a member's user, or a shell
 * on a host whose session is there already. No connection is opened for it.
 */
import type { RunShell } from '../artifacts/shell-tree.ts';
import { entriesMax, isInside, type Listing, listingOf, parseTyped, withHome } from './listing.ts';

/* $1 the directory, $2 how names begin, $3 the home directory if it is known. A pattern with / at its end finds directories only, and links to them. */
const script = `h=\${3:-$HOME}; d=$1
case $d in '~/'*) d=$h/\${d#'~/'};; esac
cd -- "$d" 2>/dev/null && [ -r . ] || { printf 'CLF-NAMES none\\000'; exit; }
printf 'CLF-NAMES ok\\000%s\\000%s\\000' "$h" "$(pwd -P)"
n=0; for f in ./"$2"*/; do
[ -d "$f" ] || continue
n=$((n+1)); [ $n -le ${entriesMax} ] || break
printf '%s\\000' "$f"
done
printf 'CLF-END\\000'`;

interface Wanted {
  readonly prefix: string;
  readonly home?: string;
  /* Nothing outside of them is listed, wherever links lead; none: no bound. */
  readonly roots?: readonly string[];
}

const outputBytesMax = 2 * 1024 * 1024;

/* Undefined: it is not there, is no directory, or may not be read. Throws what the shell throws where there is no way to it. */
export async function listByShell(
  run: RunShell,
  { prefix, home = '', roots = [] }: Wanted,
  signal: AbortSignal,
): Promise<Listing | 'outside' | undefined> {
  const typed = parseTyped(prefix);
  const pieces: Buffer[] = [];
  let left = outputBytesMax;
  const take = async (piece: Uint8Array): Promise<void> => {
    if (left > 0) pieces.push(Buffer.from(piece.subarray(0, left)));
    left -= piece.length;
  };
  await run({
    argv: ['sh', '-c', script, 'clf', typed.directory, typed.start, home],
    take,
    signal,
  });
  // What a login shell says before is no answer.
  const text = Buffer.concat(pieces).toString('utf8');
  const at = text.indexOf('CLF-NAMES ');
  const [word, found = '', real = '', ...rest] = at < 0 ? [] : text.slice(at).split('\0');
  if (word !== 'CLF-NAMES ok') return undefined;
  if (roots.length > 0 && !roots.some((root) => isInside(real, root))) return 'outside';
  const end = rest.indexOf('CLF-END');
  const paths = end < 0 ? rest.slice(0, -1) : rest.slice(0, end);
  const names = paths.map((path) => path.slice('./'.length, -1));
  const isCut = end < 0 || names.length >= entriesMax;
  return listingOf(names, { ...typed, directory: withHome(typed.directory, found) }, isCut);
}
