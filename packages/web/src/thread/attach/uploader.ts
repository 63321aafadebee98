/*
 * Brings files to the gateway, one after the other. `nextUpload` decides; here is what each state asks for.
 */
import type { ReadonlySignal } from '@preact/signals';
import { abortWith, backoffMs, deferred } from '@clawdfather/kit';
import { RefusedError } from '@clawdfather/sdk';
import { problemOf } from '../../data/problem.ts';
import type { Attachment, AttachmentsDeps } from './attachments.ts';
import { contentTypeOf } from './file-rules.ts';
import type { UploadEvent } from './next-upload.ts';

/* So much is sent again after a cut. */
const pieceBytes = 512 * 1024;
/* A piece that takes longer is stuck in a network that is gone. */
const pieceMs = 60_000;

export interface UploaderPort {
  readonly list: ReadonlySignal<readonly Attachment[]>;
  readonly note: (key: string, event: UploadEvent) => void;
}

export interface Uploader {
  /* Until nothing is left to do. */
  run(): void;
  stop(key: string): void;
}

export function createUploader(deps: AttachmentsDeps, { list, note }: UploaderPort): Uploader {
  let isRunning = false;
  let current: { readonly key: string; readonly ending: AbortController } | undefined;
  const next = (): Attachment | undefined => list.value.find(({ state }) => isOpen(state.kind));
  const runAll = async (): Promise<void> => {
    let attempt = 0;
    for (let one = next(); one !== undefined; one = next()) {
      const ending = new AbortController();
      current = { key: one.key, ending };
      const event = await stepWithin(deps, one, ending);
      if (isGone(list.value, one)) forget(deps, event);
      else note(one.key, event);
      const isLost = event.kind === 'unanswered' && !ending.signal.aborted;
      attempt = isLost ? attempt + 1 : 0;
      if (attempt > 0 && next() !== undefined) await pause(deps, attempt - 1, ending.signal);
    }
  };
  return {
    run: () => {
      if (isRunning) return;
      isRunning = true;
      void runAll().finally(() => {
        isRunning = false;
      });
    },
    stop: (key) => {
      if (current?.key === key) current.ending.abort();
    },
  };
}

function isOpen(kind: Attachment['state']['kind']): boolean {
  return kind !== 'whole' && kind !== 'failed';
}

function isGone(list: readonly Attachment[], { key }: Attachment): boolean {
  return !list.some((one) => one.key === key);
}

/* It was removed while it was announced. */
function forget({ client }: AttachmentsDeps, event: UploadEvent): void {
  if (event.kind !== 'told') return;
  void client.uploads.remove({ params: { id: event.id } }).catch(() => undefined);
}

/* Shorter when the page is seen again, the network is back, or the file is not wanted any more. */
async function pause(
  { clock, random, connection }: AttachmentsDeps,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = deferred();
  const timer = clock.timer(backoffMs(attempt, random), resolve);
  const leave = connection.onReturn(resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  timer.cancel();
  leave();
}

async function stepWithin(
  deps: AttachmentsDeps,
  one: Attachment,
  ending: AbortController,
): Promise<UploadEvent> {
  const late = new AbortController();
  const timer = deps.clock.timer(pieceMs, () => late.abort());
  const leave = abortWith(ending.signal, late);
  try {
    return await step(deps, one, late.signal);
  } catch (error) {
    return eventOf(error);
  } finally {
    timer.cancel();
    leave();
  }
}

async function step(
  { client }: AttachmentsDeps,
  { key, name, size, type, file, state }: Attachment,
  signal: AbortSignal,
): Promise<UploadEvent> {
  if (state.kind === 'asking') {
    return toldBy(await client.uploads.get({ params: { id: state.id } }, { signal }));
  }
  if (file === undefined) {
    return { kind: 'unreadable', reason: 'The app was loaded anew. Attach it again.' };
  }
  if (state.kind !== 'sending') {
    const contentType = contentTypeOf(type);
    const rest = contentType === undefined ? {} : { content_type: contentType };
    // An announcement whose answer was lost is found again; made smaller it is another file.
    const once = { signal, idempotencyKey: `${key}-${size}` };
    return toldBy(await client.uploads.create({ body: { name, size, ...rest } }, once));
  }
  const { id, offset } = state;
  const body = await bytesOf(file.slice(offset, offset + pieceBytes));
  if (body === undefined) {
    return { kind: 'unreadable', reason: 'The file cannot be read any more. Attach it again.' };
  }
  return toldBy(
    await client.uploads.append({ params: { id }, query: { offset }, body }, { signal }),
  );
}

async function bytesOf(piece: Blob): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await piece.arrayBuffer());
  } catch {
    // It was moved, changed or removed since it was chosen.
    return undefined;
  }
}

interface Told {
  readonly upload: { readonly id: string; readonly offset: number; readonly is_complete: boolean };
}

function toldBy({ upload: { id, offset, is_complete: isWhole } }: Told): UploadEvent {
  return { kind: 'told', id, offset, isWhole };
}

function eventOf(error: unknown): UploadEvent {
  if (!(error instanceof RefusedError)) return { kind: 'unanswered' };
  const { code, status } = error.refusal;
  // A gateway that is stopping or busy answers otherwise in a moment.
  if (status >= 500 && code !== 'storage_full') return { kind: 'unanswered' };
  if (status === 429) return { kind: 'unanswered' };
  return { kind: 'refused', code, reason: problemOf(error).text };
}
