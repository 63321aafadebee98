/*
 * The licences of what others wrote and our package holds: the npm packages whose files went into the bundle, and the C library
 * in the shims. Most licences ask that their text comes along with every copy.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootPath } from '../step.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

const rule = '-'.repeat(80);

/* Of musl, which is linked into the shims; its notice is not in node_modules. */
const musl = {
  title: 'musl (in the shims), MIT',
  text: readFileSync(new URL('musl-copyright.txt', import.meta.url), 'utf8'),
};

/* `inputs`: the files of the bundle, from the root of the checkout. */
export function formatLicences(inputs: readonly string[]): string {
  const folders = [...new Set(inputs.flatMap((path) => packageFolder(path) ?? []))].toSorted();
  const entries = [...folders.map(entryOf), musl];
  const head = `Clawdfather holds the following works of others.\n`;
  return [head, ...entries.map(({ title, text }) => `${rule}\n${title}\n\n${text.trim()}\n`)].join(
    '\n',
  );
}

/* The folder of the npm package that a file belongs to. Our own packages are in no node_modules. */
function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

function entryOf(folder: string) {
  const path = join(rootPath, folder);
  const manifest: Manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const files = readdirSync(path).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
  const texts = files.toSorted().map((name) => readFileSync(join(path, name), 'utf8').trim());
  const title = `${manifest.name} ${manifest.version}, ${manifest.license ?? 'see below'}`;
  if (texts.length === 0 && manifest.license === undefined) {
    throw new Error(`${manifest.name} says nothing about its licence: it cannot be packed`);
  }
  return { title, text: texts.length > 0 ? texts.join('\n\n') : noText(manifest) };
}

/* A licence without its text: what the package says of itself is what there is. */
function noText({ name, author }: Manifest): string {
  const by = typeof author === 'string' ? author : author?.name;
  const whose = by === undefined ? '' : ` Its author is ${by}.`;
  return `${name} comes without the text of its licence, which its package.json names.${whose}`;
}
