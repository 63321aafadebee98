/*
 * Several lists that are shown as one. One that cannot be read now stays as it was known; when none can, the whole is not read, so that it
 * stays as it was, too, and nothing empty is kept in its place.
 */
export type Parts<Name extends string, Value> = Readonly<Partial<Record<Name, Value>>>;

export async function loadParts<Name extends string, Value>(
  loads: Readonly<Record<Name, () => Promise<Value>>>,
  known: () => Parts<Name, Value> | undefined,
): Promise<Parts<Name, Value>> {
  const names = Object.keys(loads) as Name[];
  const results = await Promise.allSettled(names.map((name) => loads[name]()));
  const loaded: Partial<Record<Name, Value>> = { ...known() };
  for (const [at, name] of names.entries()) {
    const result = results[at];
    if (result?.status === 'fulfilled') loaded[name] = result.value;
  }
  const [first] = results;
  if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected'))
    throw first.reason;
  return loaded;
}
