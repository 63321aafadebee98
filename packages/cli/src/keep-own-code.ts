/*
 * A process that lives through an upgrade needs the code it has not loaded yet: the bundle is split along `import()`, and an upgrade
 * deletes the files of the old version. So whoever lives long reads all of its own bundle, and what is imported later comes from
 * memory: the gateway and the MCP server at their start, every other command when it turns out to live long, as a run in the
 * foreground does. Short commands pay nothing.
 *
 * Sources are left alone: nobody upgrades a checkout under a process and expects it to be the old one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '@clawdfather/kit';

/* Most commands are over by then. */
const longMs = 1_000;

/* That of the bundle, whichever of its files this has become part of; `import.meta.url` stays the place of the source. */
const home = import.meta.dirname;

let isKept = false;

/* Reading takes a few milliseconds; with promises it would take five times as many. */
export function keepOwnCode(): void {
  if (isKept || !basename(home).startsWith('bundle')) return;
  isKept = true;
  serveFromMemory(readAll());
}

export function keepOwnCodeLater(clock: Clock): void {
  clock.timer(longMs, keepOwnCode).unref();
}

function readAll(): ReadonlyMap<string, Buffer> {
  const kept = new Map<string, Buffer>();
  try {
    for (const name of readdirSync(home)) {
      const path = join(home, name);
      kept.set(pathToFileURL(path).href, readFileSync(path));
    }
  } catch {
    // An upgrade came first. What was read is kept: names hold a hash of their content, so it cannot be of another version.
  }
  return kept;
}

function serveFromMemory(kept: ReadonlyMap<string, Buffer>): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = URL.parse(specifier, context.parentURL)?.href;
      return url !== undefined && kept.has(url)
        ? { url, format: 'commonjs', shortCircuit: true }
        : next(specifier, context);
    },
    load: (url, context, next) => {
      const source = kept.get(url);
      return source === undefined
        ? next(url, context)
        : { source, format: 'commonjs', shortCircuit: true };
    },
  });
}
