/*
 * The web app: a page that is the same for everyone, and its files.
 *
 * The page is public and static, and no address of it is ever redirected: a browser that comes from outside (a notification, another
 * app) may not send its cookie with the first request. Who is signed in, the page asks by itself. A file that is missing is a 404
 * and never the page: a script that turns out to be HTML is the classic blank page after an upgrade.
 */
import { join } from 'node:path';
import type { Clock, Log } from '@clawdfather/kit';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../gateway-config.ts';
import { notFound } from '../http/api-error.ts';
import { setAppHeaders } from '../http/security-headers.ts';
import { type AppFiles, builtAppDirectory, readAppFiles } from './app-build.ts';
import { type KeptFiles, openKeptFiles } from './kept-files.ts';
import { sendFile } from './send-file.ts';

/* Every place in the app has an address of its own. At `/login` it reads what a login link or GitHub's answer left in the fragment. */
export const pagePaths = [
  '/',
  '/login',
  '/inbox',
  '/approvals',
  '/approvals/:id',
  '/asks/:id',
  '/threads',
  '/threads/:id',
  '/threads/:id/changes/:turn',
  '/new',
  '/queue',
  '/runs',
  '/runs/:id',
  '/sessions',
  '/more',
  '/hosts',
  '/hosts/:id',
  '/keys',
  '/keys/:id',
  '/agents',
  '/devices',
  '/tokens',
  '/rules',
  '/audit',
  '/notifications',
  '/storage',
  '/system',
  '/settings',
] as const;

export interface AppDeps {
  readonly config: Pick<GatewayConfig, 'stateDir'>;
  readonly clock: Clock;
  readonly log: Log;
}

export async function serveApp(
  server: FastifyInstance,
  { config, ...deps }: AppDeps,
): Promise<void> {
  const files = readAppFiles(builtAppDirectory);
  const kept = await openKeptFiles(join(config.stateDir, 'app-files'), files, deps);
  registerFiles(server, files, kept);
}

function registerFiles(server: FastifyInstance, appFiles: AppFiles, kept: KeptFiles): void {
  const page = appFiles.get('/index.html');
  for (const path of pagePaths) {
    server.get(path, (request, reply) => {
      setAppHeaders(reply);
      if (page !== undefined) return sendFile(request, reply, page);
      return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
    });
  }
  for (const file of appFiles.values()) {
    if (file.isHashed || file === page) continue;
    server.get(file.path, (request, reply) => sendFile(request, setAppHeaders(reply), file));
  }
  server.get<{ Params: { name: string } }>('/app/:name', async (request, reply) => {
    const path = `/app/${request.params.name}`;
    const file = appFiles.get(path) ?? (await kept.find(request.params.name));
    if (file === undefined) throw notFound();
    return sendFile(request, reply, file);
  });
}

const notBuilt = `The app was not built. In a checkout: npm run build:web
Everything it does, the command clf does too.
`;
