/*
 * Where the shim's program is: in the `dist` of its own package. A checkout has the one that it built for this machine; an installed
 * package has one per kind of machine, and a list of them.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { arch } from 'node:process';
import { binaryNames, type ShimVariant, targetName } from './binary-names.ts';
import { ShimError } from './errors.ts';
import { distPath, packedShimsPath } from './packed-shims.ts';

/* Throws `shim-missing`. */
export function shimBinaryPath(variant: ShimVariant = 'release'): string {
  const isPacked = existsSync(packedShimsPath);
  const path = distPath(isPacked ? targetName(variant, arch) : binaryNames[variant]);
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    const detail = { variant, path };
    if (!isPacked) {
      const hint = 'Run "npm run build:shim" in the repository; it needs a C compiler.';
      throw new ShimError('shim-missing', 'the shim has not been built', { cause, detail, hint });
    }
    throw new ShimError('shim-missing', `the installed package has no shim for ${arch}`, {
      cause,
      detail,
      hint: `Install it anew, from a package that was made for ${arch}.`,
    });
  }
  return path;
}
