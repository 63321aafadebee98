/*
 * The variables of an environment that a login would set. It is an allowlist, so a secret in the caller's environment (a token,
 * a key, a password in a URL) is left out even if we do not know its name.
 */

const loginNames: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TERM',
  'TMPDIR',
]);

/* Locale categories and the XDG directories. */
const loginPrefixes: readonly string[] = ['LC_', 'XDG_'];

/* The environment of an agent's command, and of a person's command with `--clean-env`. */
export function loginEnvironment(
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && isLoginName(name)) kept[name] = value;
  }
  return kept;
}

function isLoginName(name: string): boolean {
  return loginNames.has(name) || loginPrefixes.some((prefix) => name.startsWith(prefix));
}
