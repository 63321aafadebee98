/*
 * One file of the app as an answer: packed as the browser takes it, and not at all if it has it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppFile } from './app-build.ts';

/* A year, the longest that browsers honour. */
const forGood = 'public, max-age=31536000, immutable';

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: AppFile,
): FastifyReply {
  const { type, etag, isHashed, bodies } = file;
  reply.header('cache-control', isHashed ? forGood : 'no-cache').header('etag', etag);
  if (bodies.br !== undefined || bodies.gzip !== undefined) {
    reply.header('vary', 'accept-encoding');
  }
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const taken = request.headers['accept-encoding'] ?? '';
  const packed = packedFor(String(taken), bodies);
  if (packed !== undefined) reply.header('content-encoding', packed.encoding);
  return reply.type(type).send(packed?.body ?? bodies.plain);
}

function packedFor(taken: string, { br, gzip }: AppFile['bodies']) {
  const names = new Set(taken.split(',').map((part) => part.trim().split(';')[0]));
  if (br !== undefined && names.has('br')) return { encoding: 'br', body: br };
  if (gzip !== undefined && names.has('gzip')) return { encoding: 'gzip', body: gzip };
  return undefined;
}
