/*
 * Headers of every answer. The API answers JSON, so its headers only keep a browser from showing it as a page; every header costs
 * bytes in every answer. A page gets more headers, and a policy of its own.
 */
import type { FastifyReply } from 'fastify';

const always = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/* Two years, as browsers' own lists ask for. */
const hsts = 'max-age=63072000';

const alwaysWithTls = { ...always, 'strict-transport-security': hsts } as const;

/* For answers that are no reply of the framework's. */
export function securityHeaders(isTls: boolean): Readonly<Record<string, string>> {
  return isTls ? alwaysWithTls : always;
}

export function setSecurityHeaders(reply: FastifyReply, isTls: boolean): void {
  reply.headers(securityHeaders(isTls));
}

/* For the few pages of ours: their own files and nothing else, no script that is not one of them. */
const ofPages = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

export function setPageHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(ofPages);
}

/*
 * For the web app: no script, style or connection but our own, no text that becomes a script. The one policy of trusted types is for
 * the addresses of its workers.
 */
const ofApp = {
  ...ofPages,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types clf-workers',
  ].join('; '),
} as const;

export function setAppHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(ofApp);
}
