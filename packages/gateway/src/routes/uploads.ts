/*
 * Files for prompts, over HTTP: announced, brought in pieces, asked about and taken back by the account that they belong to.
 */
import type { Api } from '@clawdfather/protocol/api';
import { formatTime } from '../http/format-time.ts';
import { idOfHash } from '../http/id-of-hash.ts';
import { parseIdempotencyKey } from '../http/idempotency-key.ts';
import type { Handlers } from '../http/handlers.ts';
import type { Upload, Uploads } from '../uploads/upload-files.ts';

export function createUploadsHandlers({
  uploads,
}: {
  readonly uploads: Uploads;
}): Handlers<Api['uploads']> {
  return {
    create: async (call) => {
      const { content_type: contentType, ...facts } = call.body;
      const { accountId, kind } = call.caller;
      const key = parseIdempotencyKey(call.header('idempotency-key'));
      const id = key === undefined ? undefined : idOfHash('upload', accountId, key);
      const how = { id, isOfToken: kind === 'token' };
      return show(await uploads.create(accountId, { ...facts, contentType }, how));
    },
    append: async ({ caller, params, query, body: bytes }) => {
      const piece = { id: params.id, offset: query.offset, bytes };
      return show(await uploads.append(caller.accountId, piece));
    },
    get: async ({ caller, params }) => show(await uploads.find(caller.accountId, params.id)),
    remove: async ({ caller, params }) => {
      await uploads.remove(caller.accountId, params.id);
      return undefined;
    },
  };
}

function show({ id, name, contentType, size, offset, isWhole, expiresAtMs }: Upload) {
  return {
    upload: {
      id,
      name,
      content_type: contentType,
      size,
      offset,
      is_complete: isWhole,
      expires_at: formatTime(expiresAtMs),
    },
  };
}
