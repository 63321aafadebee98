/*
 * Leaves the schemas of endpoints out of the app: of each, its method and path remain, and whether it answers.
 *
 * The modules of the table are loaded here, at build time, and written anew from what they export. A schema becomes one that
 * takes whatever comes (schemas-that-pass.ts). A module with something else beside its endpoints stops the build.
 */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const folder = fileURLToPath(new URL('../../protocol/src/api/', import.meta.url));

interface Route {
  readonly method: string;
  readonly path: string;
  readonly answer?: unknown;
}

export async function bareEndpoints(): Promise<Plugin> {
  const bare = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    const text = await bareModule(`${folder}${name}`);
    if (text !== undefined) bare.set(`${folder}${name}`, text);
  }
  return { name: 'bare-endpoints', load: (id) => bare.get(id) };
}

/* Undefined: it has no endpoints, so it stays as it is. */
async function bareModule(path: string): Promise<string | undefined> {
  const exported: Readonly<Record<string, unknown>> = await import(path);
  if (basename(path) === 'index.ts') return undefined;
  if (!Object.values(exported).some(isGroup)) return undefined;
  const lines = Object.entries(exported).map(([name, value]) => {
    if (isGroup(value)) return `export const ${name} = ${bareGroup(value)};`;
    if (isSchema(value) || isFields(value)) return `export const ${name} = z;`;
    if (isPlain(value)) return `export const ${name} = ${JSON.stringify(value)};`;
    throw new Error(
      `${path} exports ${name}, which is neither endpoints, nor a schema, nor a plain value`,
    );
  });
  return `import { z } from 'zod';\n${lines.join('\n')}\n`;
}

function bareGroup(group: Readonly<Record<string, Route>>): string {
  const routes = Object.entries(group).map(([name, { method, path, answer }]) => {
    const answers = answer === undefined ? '' : ', answer: z';
    return `${name}: { method: '${method}', path: '${path}'${answers} }`;
  });
  return `{ ${routes.join(', ')} }`;
}

function isGroup(value: unknown): value is Readonly<Record<string, Route>> {
  if (typeof value !== 'object' || value === null || isSchema(value)) return false;
  const members: unknown[] = Object.values(value);
  return members.length > 0 && members.every(isRoute);
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

/* Of several schemas. */
function isFields(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isSchema);
}

/* A text, a number, or a list of them. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  return typeof value === 'string' || typeof value === 'number';
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'safeParse' in value;
}
