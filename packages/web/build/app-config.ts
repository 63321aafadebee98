/*
 * How the app is built and served to those who work on it: one page, hashed files below /app, nothing loaded from anywhere else.
 */
import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import packageFile from '../package.json' with { type: 'json' };
import type { Build } from '../src/worker/build-files.ts';
import { bareEndpoints } from './bare-endpoints.ts';

const target = ['chrome111', 'firefox128', 'safari16.4'];

const gateway = 'http://127.0.0.1:8420';

export async function appConfig(): Promise<InlineConfig> {
  return {
    ...(await commonConfig()),
    build: {
      assetsDir: 'app',
      target,
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      manifest: true,
      // Every file has an address of its own, which the page's policy can name.
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: nameFirst(), debugName: 'first' }] } },
      },
    },
    server: { proxy: { '/api': gateway, '/ws': { target: gateway, ws: true } } },
  };
}

/*
 * What the first screen needs is one file. Left to itself, the bundler makes one of each part that a later screen uses, too, and a phone
 * waits for every one of them. So what a conversation shares with a new one, whichever is opened first, is in it as well.
 */
function nameFirst(): (id: string, graph: Graph) => string | null {
  let first: ReadonlySet<string> = new Set();
  return (id, graph) => {
    if (first.size === 0) {
      const [begun, other] = conversations.map((screen) => importedFrom(screen, graph));
      const shared = [...(begun ?? [])].filter((part) => other?.has(part));
      first = new Set([...importedFrom(entry, graph), ...shared]);
    }
    return first.has(id) && id !== entry && !id.endsWith('.css') ? 'first' : null;
  };
}

/* Itself, and all that is loaded with it. */
function importedFrom(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) importedFrom(next, graph, found);
  return found;
}

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

const entry = pathOf('main.tsx');
const conversations = [pathOf('screens/new-thread.tsx'), pathOf('screens/thread.tsx')];

function pathOf(source: string): string {
  return fileURLToPath(new URL(`../src/${source}`, import.meta.url));
}

/*
 * The worker, in one file at the root, because of which it may serve every address. It is no module: Firefox has no such workers. It is
 * built after the app, whose files it is told.
 */
export async function workerConfig(build: Build): Promise<InlineConfig> {
  const common = await commonConfig();
  return {
    ...common,
    define: {
      ...common.define,
      __BUILD_ID__: JSON.stringify(build.id),
      __BUILD_FILES__: JSON.stringify(build.files),
    },
    publicDir: false,
    build: {
      target,
      emptyOutDir: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('../src/worker/main.ts', import.meta.url)),
        output: { format: 'iife', entryFileNames: 'sw.js' },
      },
    },
  };
}

async function commonConfig(): Promise<InlineConfig> {
  return {
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    define: { __APP_VERSION__: JSON.stringify(packageFile.version) },
    plugins: [await bareEndpoints()],
    resolve: {
      conditions: ['@clawdfather/source', 'browser', 'module'],
      alias: { zod: fileURLToPath(new URL('schemas-that-pass.ts', import.meta.url)) },
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  };
}
