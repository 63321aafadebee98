/*
 * Of an environment, what a login would give. An allowlist, so that a secret in the caller's environment (a token, a key, a
 * password in a URL) is absent by default and not by somebody having thought of its name.
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

/* What an agent's command may see of its caller's environment, and a person's that asks for a clean one. */
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
