/*
 * The bytes of an artifact over HTTP, for whoever has its address.
 *
 * - Missing, foreign and wrongly signed are the same refusal. Only who has a good signature is told that it has expired.
 * - A file is always offered to be saved and never shown in our origin: an attachment, no sniffing, in a sandbox.
 * - The pieces are read as they are taken: a reader that is slow, or gone, holds one of them and a descriptor.
 */
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { basename } from 'node:path/posix';
import type { Clock } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import type { AccountId, KeptArtifact, Store } from '@clawdfather/store';
import { create as contentDisposition } from 'content-disposition';
import type { AccountPlaces } from '../accounts/account-places.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Call } from '../http/handlers.ts';
import { parseRange } from './byte-range.ts';
import type { ContentStore } from './content-store.ts';
import { contentTypeOf } from './content-types.ts';
import type { Signer } from './signed-address.ts';

export interface ServeDeps {
  readonly store: Store;
  readonly contents: ContentStore;
  readonly signer: Signer;
  readonly places: AccountPlaces;
  readonly clock: Clock;
}

type Download = Call<Api['artifacts']['download']>;
type Found = KeptArtifact & { readonly accountId: AccountId };

/* Sends by itself. */
export async function serveArtifact(deps: ServeDeps, call: Download): Promise<void> {
  const artifact = await admit(deps, call);
  const { accountId, sha256, sizeBytes, removedAtMs } = artifact;
  const etag = `"${sha256}"`;
  if (isNotModified(call.header('if-none-match'), etag)) {
    call.reply.headers(headersOf(artifact, etag)).code(304).send();
    return;
  }
  if (removedAtMs !== undefined) {
    throw new ApiError('expired', 'its bytes are kept no longer; its name and hash are');
  }
  const ifRange = call.header('if-range');
  const isSameFile = ifRange === undefined || ifRange === etag;
  const range = parseRange(isSameFile ? call.header('range') : undefined, sizeBytes);
  if (range.kind === 'unsatisfiable') {
    throw new ApiError('range_not_satisfiable', undefined, {
      headers: { 'content-range': `bytes */${sizeBytes}` },
    });
  }
  const part = range.kind === 'part' ? range : { first: 0, last: sizeBytes - 1 };
  const leave = deps.places.take({ accountId, kind: 'device' });
  call.reply.raw.once('close', leave);
  const file = await openContent(deps, artifact);
  call.leaveTurn();
  call.reply
    .headers(headersOf(artifact, etag))
    .header('content-length', part.last - part.first + 1);
  if (range.kind === 'part') {
    call.reply.code(206).header('content-range', `bytes ${part.first}-${part.last}/${sizeBytes}`);
  }
  call.reply.send(await bytesOf(call, file, part));
}

/* Looked for by its id alone: the row says whose it is, and the signature has to be for that account. */
async function admit({ store, signer, clock }: ServeDeps, { params, query }: Download) {
  const artifact = await store.system.artifacts.find(params.id);
  const expires = Number(query.expires);
  if (artifact === undefined) throw notFound();
  const name = { accountId: artifact.accountId, artifactId: artifact.id, expires };
  if (!signer.isSigned(name, query.signature)) throw notFound();
  if (expires * 1_000 <= clock.wallMs()) {
    throw new ApiError('expired', 'this address was good for a day; ask the turn for another one');
  }
  return artifact;
}

/* The file is named by its hash, and its length has to be the one that was hashed. */
async function openContent(
  { contents }: ServeDeps,
  { accountId, sha256, sizeBytes }: Found,
): Promise<FileHandle> {
  const file = await contents.open(accountId, sha256);
  const isWhole = file !== undefined && (await file.stat()).size === sizeBytes;
  if (file !== undefined && isWhole) return file;
  await file?.close();
  throw new ApiError('unavailable', 'the file is not on this gateway; another one may have it');
}

function headersOf({ relativePath }: Found, etag: string): Readonly<Record<string, string>> {
  return {
    'content-type': contentTypeOf(relativePath),
    'content-disposition': contentDisposition(safeName(relativePath)),
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'accept-ranges': 'bytes',
    etag,
    // Who has the address may keep what it led to; nothing on the way may.
    'cache-control': 'private, no-cache, no-transform',
    'referrer-policy': 'no-referrer',
  };
}

/* What a browser saves it as: signs that turn the direction of writing would make `gpj.exe` look like `exe.jpg`. */
function safeName(relativePath: string): string {
  const name = basename(relativePath).replaceAll(/[\p{Cc}\p{Cf}\\/]/gu, '_');
  return name === '' ? 'artifact' : name;
}

function isNotModified(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/* The stream closes the file at its end, and when the reader is gone. */
async function bytesOf(
  { reply }: Download,
  file: FileHandle,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Readable> {
  // For HEAD Fastify would read all of a stream to its end, for nothing.
  if (reply.request.method !== 'HEAD' && last >= first) {
    return createReadStream('', { fd: file, start: first, end: last });
  }
  await file.close();
  return Readable.from([]);
}
