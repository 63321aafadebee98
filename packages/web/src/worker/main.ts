/*
 * The service worker: the app without a network, updates without a blank page, and what is sent while no tab is open.
 *
 * 1. It keeps the files of one build, all or none, when it is installed.
 * 2. It serves the page and its files from there. Calls of the API are never touched.
 * 3. It takes over from the worker before it only when a person asks for it (Reload), or when no tab is left.
 * 4. It shows what is pushed (notifications.ts).
 * 5. When the system says that there is a network again, it sends what waits in the outbox. When that fails, so does the event, and the
 *    system asks again, later each time.
 */
import type { Build } from './build-files.ts';
import { fileOf, keepBuild, pageOf, removeUnused } from './keep-build.ts';
import { serveNotifications } from './notifications.ts';
import { sendWaiting } from './send-waiting.ts';
import { waitingTag } from './waiting-tag.ts';
import { whatToServe } from './what-to-serve.ts';
import { scope } from './worker-scope.ts';

const build: Build = { id: __BUILD_ID__, files: __BUILD_FILES__ };

scope.addEventListener('install', (event) => event.waitUntil(keepBuild(build)));

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([scope.clients.claim(), removeUnused(build.id, scope.registration)]));
});

scope.addEventListener('message', (event) => {
  if (event.data === 'take-over') event.waitUntil(scope.skipWaiting());
  if (event.data === 'which-build') event.ports[0]?.postMessage(build.id);
  if (event.data === 'clean') event.waitUntil(removeUnused(build.id, scope.registration));
});

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const serving = whatToServe(request, scope.location.origin, build.files);
  if (serving === 'page') event.respondWith(pageOf(build));
  if (serving === 'file') event.respondWith(fileOf(request));
});

scope.addEventListener('sync', (event) => {
  if (event.tag === waitingTag) event.waitUntil(sendWaiting(scope));
});

serveNotifications(scope);
