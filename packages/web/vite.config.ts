/*
 * How the app is built: one page, hashed files below /app, nothing loaded from anywhere else.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { bareEndpoints } from './build/bare-endpoints.ts';

const gateway = 'http://127.0.0.1:8420';

// oxlint-disable-next-line import/no-default-export -- vite asks for it
export default defineConfig({
  plugins: [bareEndpoints()],
  resolve: {
    conditions: ['@clawdfather/source', 'browser', 'module'],
    alias: { zod: fileURLToPath(new URL('build/schemas-that-pass.ts', import.meta.url)) },
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
});
