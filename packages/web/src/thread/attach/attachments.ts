/*
 * The files that go along with a message. Each is brought to the gateway as soon as it is chosen, a piece at a time, one after the other.
 *
 * What is whole outlives a reload, by its id. What is not has to be chosen again then, because pages may not open files by themselves. With
 * the wipe of the device all of it ends.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type Clock, onAbort, type Random } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { Connection } from '../../state/connection.ts';
import type { DeviceStorage, Writer } from '../../storage/device-storage.ts';
import { fileProblem, filesMax, keptFiles, nameOf } from './file-rules.ts';
import { nextUpload, type UploadEvent, type UploadState } from './next-upload.ts';
import { isLargePicture, shrinkPicture } from './shrink-picture.ts';
import { createUploader, type Uploader } from './uploader.ts';

export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly type: string;
  /* Undefined: chosen before the app was loaded anew. */
  readonly file: Blob | undefined;
  readonly state: UploadState;
  /* Nobody answers now; it goes on by itself. */
  readonly isHeldUp: boolean;
  /* A picture that may be made smaller. */
  readonly isLarge: boolean;
}

export interface Attachments {
  readonly list: ReadonlySignal<readonly Attachment[]>;
  /* Why something was not taken. */
  readonly refusal: ReadonlySignal<string | undefined>;
  add(files: readonly File[]): void;
  remove(key: string): void;
  retry(key: string): void;
  shrink(key: string): Promise<void>;
  /* As `bring` takes them. */
  kept(): string;
  /* Files of a message that was taken back. */
  bring(kept: string): void;
  /* A message has them. */
  clear(): void;
}

export interface AttachmentsDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly connection: Pick<Connection, 'onReturn'>;
  readonly storage: Pick<DeviceStorage, 'drafts'>;
}

/* As a draft; the writer is of whoever chose them. */
interface KeptAs {
  readonly key: string;
  readonly writer: Pick<Writer, 'draft' | 'wiped'>;
}

export async function openAttachments(
  deps: AttachmentsDeps,
  { key, writer }: KeptAs,
): Promise<Attachments> {
  const { client, random, storage } = deps;
  const files = createFileList(restored(await storage.drafts.read(key), random), (list) => {
    void writer.draft(key, keptFiles(list));
  });
  const refusal = signal<string | undefined>(undefined);
  const uploader = createUploader(deps, files);
  const leave = ({ key: of, state }: Attachment): void => {
    uploader.stop(of);
    // What is left there goes by itself after a day.
    if ('id' in state && state.id !== undefined) {
      void client.uploads.remove({ params: { id: state.id } }).catch(() => undefined);
    }
  };
  const add = (file: File): string | undefined => {
    const problem = fileProblem(file, files.list.value.length);
    if (problem !== undefined) return problem;
    const one = attachmentOf(file, random.id());
    files.set([...files.list.value, one]);
    void measure(files, one);
    return undefined;
  };
  onAbort(writer.wiped, () => dropAll(files, uploader));
  uploader.run();
  return {
    list: files.list,
    refusal,
    add: (chosen) => {
      const problems = new Set(chosen.map(add));
      refusal.value = [...problems].filter(Boolean).join(' ') || undefined;
      uploader.run();
    },
    remove: (of) => {
      const one = files.find(of);
      files.set(files.list.value.filter((other) => other !== one));
      refusal.value = undefined;
      if (one !== undefined) leave(one);
    },
    retry: (of) => {
      files.note(of, { kind: 'again' });
      uploader.run();
    },
    shrink: async (of) => {
      const { file, name } = files.find(of) ?? {};
      if (file === undefined || name === undefined) return;
      files.patch(of, { isLarge: false });
      const smaller = await shrinkPicture(file, name);
      const now = files.find(of);
      if (smaller === undefined) refusal.value = `${name} could not be made smaller.`;
      if (smaller === undefined || now === undefined) return;
      const next = attachmentOf(smaller, random.id());
      files.set(files.list.value.map((other) => (other === now ? next : other)));
      leave(now);
      uploader.run();
    },
    kept: () => keptFiles(files.list.value),
    bring: (kept) => {
      files.set([...files.list.value, ...restored(kept, random)]);
      uploader.run();
    },
    clear: () => {
      files.set([]);
      refusal.value = undefined;
    },
  };
}

/* The one place that changes the list; what is to be kept of it is told each time. */
function createFileList(first: readonly Attachment[], keep: (list: readonly Attachment[]) => void) {
  const list = signal(first);
  const set = (next: readonly Attachment[]): void => {
    list.value = next;
    keep(next);
  };
  const patch = (of: string, change: Partial<Attachment>): void =>
    set(list.value.map((one) => (one.key === of ? { ...one, ...change } : one)));
  const find = (of: string): Attachment | undefined => list.value.find(({ key }) => key === of);
  const note = (of: string, event: UploadEvent): void => {
    const one = find(of);
    if (one === undefined) return;
    patch(of, {
      state: nextUpload(one.state, event),
      isHeldUp: event.kind === 'unanswered',
    });
  };
  return { list, set, patch, find, note };
}

function dropAll(files: ReturnType<typeof createFileList>, uploader: Uploader): void {
  const dropped = files.list.value;
  files.set([]);
  for (const { key } of dropped) uploader.stop(key);
}

function attachmentOf(file: File, key: string): Attachment {
  const { size, type } = file;
  const state = { kind: 'announcing' } as const;
  return { key, name: nameOf(file.name), size, type, file, state, isHeldUp: false, isLarge: false };
}

async function measure(
  files: ReturnType<typeof createFileList>,
  { key, file }: Attachment,
): Promise<void> {
  if (file !== undefined && (await isLargePicture(file))) files.patch(key, { isLarge: true });
}

/* The gateway is asked for each, so what has gone there meanwhile is told. */
function restored(kept: string | undefined, random: Random): readonly Attachment[] {
  if (kept === undefined) return [];
  const files = JSON.parse(kept) as readonly (Pick<Attachment, 'name' | 'size' | 'type'> & {
    readonly id?: string;
  })[];
  return files.slice(0, filesMax).map(({ id, ...facts }) => ({
    ...facts,
    key: random.id(),
    file: undefined,
    state: id === undefined ? { kind: 'announcing' } : { kind: 'asking', id, offset: 0 },
    isHeldUp: false,
    isLarge: false,
  }));
}
