/*
 * Where the shim's program is: in the `dist` of its own package.
 */
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { binaryNames, type ShimVariant } from './binary-names.ts';
import { ShimError } from './errors.ts';

/* Throws `shim-missing`. */
export function shimBinaryPath(variant: ShimVariant = 'release'): string {
  const path = fileURLToPath(new URL(`../dist/${binaryNames[variant]}`, import.meta.url));
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    throw new ShimError('shim-missing', 'the shim has not been built', {
      cause,
      detail: { variant },
      hint: 'Run "npm run build:shim" in the repository; it needs a C compiler.',
    });
  }
  return path;
}
