/*
 * How the app is built and served to those who work on it: one page, hashed files below /app, nothing loaded from anywhere else.
 */
import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import { bareEndpoints } from './bare-endpoints.ts';

const gateway = 'http://127.0.0.1:8420';

export async function appConfig(): Promise<InlineConfig> {
  return {
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    plugins: [await bareEndpoints()],
    resolve: {
      conditions: ['@clawdfather/source', 'browser', 'module'],
      alias: { zod: fileURLToPath(new URL('schemas-that-pass.ts', import.meta.url)) },
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      assetsDir: 'app',
      target: ['chrome111', 'firefox128', 'safari16.4'],
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      manifest: true,
      // Every file has an address of its own, which the page's policy can name.
      assetsInlineLimit: 0,
    },
    server: { proxy: { '/api': gateway, '/ws': { target: gateway, ws: true } } },
  };
}
