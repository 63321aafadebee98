/*
 * What a person pastes on a host so that it accepts a key: adds one line to `authorized_keys`, once however often it is pasted,
 * and sets the modes that sshd insists on.
 *
 * Everything is inside one pair of single quotes for `sh`, since the login shell may be fish or csh: no quote, no backslash
 * and no `!`, which csh takes for history even there. The line itself is letters, digits and `+/=._-` (`formatComment`).
 */
const safeLine = /^ssh-ed25519 [A-Za-z0-9+/=]+ [A-Za-z0-9._-]+$/;

export function formatInstallCommand(publicKey: string): string {
  if (!safeLine.test(publicKey)) throw new TypeError('this public key is not one of ours');
  const [, blob = ''] = publicKey.split(' ');
  const script = [
    'umask 077',
    'd="$HOME/.ssh"',
    'f="$d/authorized_keys"',
    'mkdir -p "$d"',
    'chmod 700 "$d"',
    'touch "$f"',
    'chmod 600 "$f"',
    // A line that was commented out is no entry; one with options is, and is not widened by a second.
    `if grep -v "^[[:space:]]*#" "$f" | grep -qF "${blob}"; then echo "already installed"`,
    // A last line without its end would swallow ours.
    'else if [ -n "$(tail -c 1 "$f")" ]; then echo >> "$f"; fi',
    `echo "${publicKey}" >> "$f"`,
    'echo "installed"',
    'fi',
  ].join('; ');
  return `sh -c 'set -e; ${script}'`;
}
