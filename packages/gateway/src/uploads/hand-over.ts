/*
 * Puts what was uploaded where an agent can read it, and makes it part of a prompt: a link to a file, which every agent takes, and small
 * pictures as they are, for agents that see.
 *
 * The state directory is empty for an agent in its shield, so the file is copied to a directory beside it, which is read-only there. Where the
 * shield is not whole an agent can change what is there: only files that are new are written, into directories that are held open (copies.ts).
 *
 * HO1 A copy is kept for a prompt that was taken. Of one that is refused nothing stays (copies.ts).
 * HO2 The copies of an account have a bound on files and bytes. The oldest go for new ones, but none that a prompt needs whose turn has not
 *     ended: it may wait for its agent for longer than that (remove-oldest.ts, tidy-copies.ts).
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock, Log } from '@clawdfather/kit';
import { holdPrivateDir, holdPrivateDirIn, syncDirectory } from '@clawdfather/kit/files';
import { isPicture, pictureBytesMax, withPicture } from '@clawdfather/agents';
import type { AccountId, Store } from '@clawdfather/store';
import { attachmentsDirOf } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { Runs } from '../runs/open-runs.ts';
import { Copies, safeName } from './copies.ts';
import type { RoomDeps } from './free-room.ts';
import type { InTurn } from './in-turn.ts';
import { createTidy } from './tidy-copies.ts';
import { unsafe } from './unsafe-place.ts';
import type { Upload, Uploads } from './upload-files.ts';

export interface HandOverDeps extends RoomDeps {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly uploads: Uploads;
  readonly runs: Pick<Runs, 'users'>;
  readonly store: Pick<Store, 'forAccount'>;
  /*
   * Of an account one thing at a time: a copy that one prompt is refused with is not another one's, and what is handed over is not removed
   * meanwhile.
   */
  readonly inTurn: InTurn;
}

/* Of ACP. */
interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
}

/* A link, and of a picture its bytes, too. */
export type Attached = Readonly<Record<string, unknown>>;

export interface Given {
  readonly accountId: AccountId;
  /* Of uploads. */
  readonly ids: readonly string[];
  readonly thread: { readonly connectionId?: string | undefined };
}

/* `take` gives the links to an agent, or throws why not. */
export type HandOver = <Taken>(
  given: Given,
  take: (links: readonly Attached[]) => Promise<Taken>,
) => Promise<Taken>;

export function createHandOver(deps: HandOverDeps): {
  readonly handOver: HandOver;
  /* Removes what is too old or too much, of every account. */
  readonly sweep: () => Promise<void>;
} {
  const { stateDir, uploads, runs, clock, inTurn } = deps;
  const root = attachmentsDirOf(stateDir);
  const tidy = createTidy({ ...deps, root, inTurn });
  const handOver: HandOver = async ({ accountId, ids, thread }, take) => {
    if (ids.length === 0) return await take([]);
    if (thread.connectionId !== undefined) {
      throw new ApiError('unsupported', 'files cannot be brought to SSH hosts yet');
    }
    if (runs.users.of(accountId) !== undefined) {
      throw new ApiError('unsupported', 'files cannot be given to agents of another Unix user yet');
    }
    return await inTurn(accountId, async () => {
      const whole: Upload[] = [];
      for (const id of new Set(ids)) whole.push(await findWhole(uploads, accountId, id));
      const path = join(root, accountId);
      await using accounts = await holdPrivateDir(root, unsafe);
      await using directory = await holdPrivateDirIn(accounts, path, unsafe);
      const copies = new Copies(deps, { path, directory }, clock.wallMs());
      const taken = await copies.keepIfTaken(async () => {
        const links: Attached[] = [];
        let left = pictureBytesMax;
        for (const upload of whole) {
          const from = uploads.pathOf(accountId, upload.id);
          const copy = await copies.add(from, upload).catch(async (error) => {
            // Refused as not found where the upload is gone, which nobody but an operator could remove now.
            await uploads.findInTurn(accountId, upload.id);
            throw error;
          });
          const link = linkTo(copy, upload);
          const isShown = isPicture(upload.contentType) && upload.size <= left;
          if (isShown) left -= upload.size;
          links.push(isShown ? withPicture({ ...link }, await readFile(from)) : { ...link });
        }
        // The names of all of them, and of directories that were made for them.
        for (const held of [directory, accounts]) await held.sync();
        await syncDirectory(dirname(root));
        return await take(links);
      });
      await uploads.noteTaken(accountId, new Set(ids));
      tidy.soon(accountId);
      return taken;
    });
  };
  return { handOver, sweep: tidy.sweep };
}

async function findWhole(uploads: Uploads, accountId: AccountId, id: string): Promise<Upload> {
  const upload = await uploads.findInTurn(accountId, id);
  if (upload.isWhole) return upload;
  throw new ApiError('validation_error', `attachments: ${id} is not here as a whole yet`, {
    detail: { id, offset: upload.offset, size: upload.size },
  });
}

function linkTo(path: string, { name, contentType, size }: Upload): ResourceLink {
  const uri = pathToFileURL(path).href;
  return { type: 'resource_link', uri, name: safeName(name), mimeType: contentType, size };
}
