/*
 * The list of the programs that an installed package has: for which kind of machine, and with which hash. `npm run pack` writes it
 * (tools/tasks/pack.ts).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { arch } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ShimError } from './errors.ts';
import { asFields, listField, numberField, parseJsonFields, stringField } from './json-fields.ts';

/* Programs lie here in a checkout and in an installed package. */
export function distPath(name: string): string {
  return fileURLToPath(new URL(`../dist/${name}`, import.meta.url));
}

/* A checkout has none. */
export const packedShimsPath = distPath('shims.json');

interface PackedShim {
  /* In Node's words. */
  readonly arch: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/* Throws `message-invalid`. */
function parsePackedShims(text: Buffer): readonly PackedShim[] {
  return listField(parseJsonFields(text), 'shims').map((entry) => {
    const fields = asFields(entry, 'shims');
    return {
      arch: stringField(fields, 'arch'),
      file: stringField(fields, 'file'),
      bytes: numberField(fields, 'bytes'),
      sha256: stringField(fields, 'sha256'),
    };
  });
}

/*
 * Whether the program at `path` is the one that was packed for this machine. `unlisted` in a checkout, which has no list. Throws
 * when the list or the program cannot be read.
 */
export function comparePackedShim(path: string): 'same' | 'changed' | 'unlisted' {
  if (!existsSync(packedShimsPath)) return 'unlisted';
  const listed = parsePackedShims(readFileSync(packedShimsPath)).find((shim) => shim.arch === arch);
  if (listed === undefined) {
    throw new ShimError('shim-missing', `${packedShimsPath} names no ${arch}`);
  }
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  return sha256 === listed.sha256 ? 'same' : 'changed';
}
