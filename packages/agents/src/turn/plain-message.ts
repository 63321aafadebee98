/*
 * What an agent or its provider says about a failure, made fit for a record that stays for ever and is shown anywhere: one line without
 * escape sequences, of bounded length, and without what looks like a key. Providers repeat the key that they refuse, and tools print
 * the request that failed.
 */
import { stripVTControlCharacters } from 'node:util';

/* A message with its reason; a page of a proxy is no message. */
const charactersMax = 1_000;

const hidden = '(hidden)';

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/* Each with the part before the secret, which is kept. */
const secrets: readonly RegExp[] = [
  /\b(Bearer\s+)[\w.~+/=-]{8,}/giu,
  /((?:api[-_ ]?key|access[-_ ]?key|token|secret|password|passwd|authorization)["']?\s*[:=]\s*["']?)(?!\(hidden\)|Bearer)[^\s"',;&}]{4,}/giu,
  /(\b[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/giu,
  /(\b)(?:sk|pk|rk|xai|gsk)-[\w-]{8,}/gu,
  /(\b)(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|AIza|AKIA)[\w-]{12,}/gu,
];

export function plainMessage(text: string): string {
  // Longer than what is kept, so that no secret is cut in two, and bounded, since an agent chooses it.
  const head = text.slice(0, 8 * charactersMax);
  const line = stripVTControlCharacters(head).replaceAll(unprintable, ' ').trim();
  const safe = secrets.reduce((so, secret) => so.replaceAll(secret, `$1${hidden}`), line);
  if (safe.length <= charactersMax && text.length <= head.length) return safe;
  return `${safe.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
