/*
 * What the server answers, as `GET /path`: so that a test can tell that nothing is served beside the table of endpoints.
 */
import type { FastifyInstance } from 'fastify';

/* Has to be called before the first route is registered; the list grows with each. */
export function noteRoutes(server: FastifyInstance): readonly string[] {
  const routes: string[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    // Fastify answers HEAD wherever it answers GET.
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push(`${name} ${url}`);
  });
  return routes;
}
