/*
 * What an agent's command starts with: an allowlist, so that a secret in the caller's environment (a token, a key, a
 * password in a URL) is absent by default and not by somebody having thought of its name.
 */

const baseNames: ReadonlySet<string> = new Set([
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
const basePrefixes: readonly string[] = ['LC_', 'XDG_'];

/* Of the caller's environment, what an agent's command may see. */
export function agentBaseEnvironment(
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && isBaseName(name)) base[name] = value;
  }
  return base;
}

function isBaseName(name: string): boolean {
  return baseNames.has(name) || basePrefixes.some((prefix) => name.startsWith(prefix));
}
