/*
 * What the built programs are called. Shared by the build and by the code that starts
 * one; imports nothing, so that the build runs before anything is installed.
 *
 * `release` is what users get. `test` has hooks that only tests may
 * use; `asan` is the same under AddressSanitizer and UBSan.
 */
export const shimVariants = ['release', 'test', 'asan'] as const;
export type ShimVariant = (typeof shimVariants)[number];

export const binaryNames: Readonly<Record<ShimVariant, string>> = {
  release: 'clawdfather-shim',
  test: 'clawdfather-shim-test',
  asan: 'clawdfather-shim-asan',
};

/* A program that was built for any Linux of a kind of machine, in Node's words: x64, arm64. */
export function targetName(variant: ShimVariant, arch: string): string {
  return `${binaryNames[variant]}-linux-${arch}`;
}
