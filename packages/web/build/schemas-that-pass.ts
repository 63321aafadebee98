/*
 * What the app has in place of zod: a schema that takes whatever comes, however it was put together.
 *
 * Page and gateway come from one version, and fields that are not known are ignored, so the app has nothing to check. Zod itself
 * would be half of what a phone has to load first, and it looks for `new Function`, which the page's policy forbids.
 */
type Passing = ((...given: readonly unknown[]) => Passing) & { readonly [name: string]: unknown };

function pass(): Passing {
  return passing;
}

const passing: Passing = new Proxy(pass as Passing, {
  get: (_target, name) => {
    if (name === 'parse') return (data: unknown) => data;
    if (name === 'safeParse') return (data: unknown) => ({ success: true, data });
    // A list of schemas is spread and looped over.
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    return passing;
  },
});

export { passing as z };
