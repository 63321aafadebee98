/*
 * A program for terminals, and the keys that leave it.
 */
/* Ctrl-] twice. */
export const detach = '\u001d\u001d';

/* A small full-screen program: alternate screen, redraws on keys, quits on q. */
export const fullScreen = String.raw`
draw() { printf '\033[H\033[2J\033[2;3Hsize %s\033[3;3Hkey %s' "$(stty size)" "$key"; }
key=none
stty -echo -icanon
printf '\033[?1049h\033[?25l\033[?1000;1006h'
draw
while :; do
  k=$(dd bs=1 count=1 2>/dev/null) || continue
  [ -z "$k" ] && continue
  [ "$k" = q ] && break
  key=$k; draw
done
printf '\033[?1000;1006l\033[?25h\033[?1049l'
stty sane
exit 9
`;
