/*
 * One text for one JSON value: members sorted by their names, no spaces, numbers and strings as ECMAScript writes them (RFC 8785), so that
 * two programs that have the same value make the same hash of it. A member that is undefined is no member. One called `__proto__` is left
 * out, because many readers of JSON do so.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([name, member]) => member !== undefined && name !== '__proto__')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
