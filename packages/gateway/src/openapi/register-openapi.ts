/*
 * `/api/openapi.json` for programs and `/api/docs` for people. Made at the first request and kept: a start does not pay for it.
 */
import { api } from '@clawdfather/protocol/api';
import type { FastifyInstance } from 'fastify';
import { setPageHeaders } from '../http/security-headers.ts';
import { buildOpenApi } from './build-openapi.ts';
import { describeRpc } from './describe-rpc.ts';
import { pageStyle, renderPage } from './render-page.ts';

export function registerOpenApi(server: FastifyInstance, version: string): void {
  let made: { readonly json: string; readonly html: string } | undefined;
  const documents = () => {
    if (made === undefined) {
      const document = buildOpenApi({ version, groups: { ...api, rpc: describeRpc() } });
      made = { json: JSON.stringify(document), html: renderPage(document) };
    }
    return made;
  };
  server.get('/api/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(documents().json),
  );
  server.get('/api/docs', (_request, reply) =>
    setPageHeaders(reply).type('text/html; charset=utf-8').send(documents().html),
  );
  server.get('/api/docs.css', (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(pageStyle),
  );
}
