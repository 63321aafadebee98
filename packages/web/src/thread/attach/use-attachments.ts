/*
 * The files of a composer. The code for them is loaded when there are any.
 */
import { useEffect, useState } from 'preact/hooks';
import { onAbort } from '@clawdfather/kit';
import { type AppParts, useApp } from '../../app-context.ts';
import type { Attachment, Attachments } from './attachments.ts';

export interface Attached {
  readonly list: readonly Attachment[];
  readonly refusal: string | undefined;
  /* Of those that are whole. */
  readonly ids: readonly string[];
  readonly isReady: boolean;
  readonly add: (files: readonly File[]) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly clear: () => void;
  /* Undefined until there are files. */
  readonly open: Attachments | undefined;
}

/* By account and draft: who looks at another screen meanwhile finds them again, still on their way. Until the device is wiped. */
const opened = new Map<string, Promise<Attachments>>();

function openOnce(app: AppParts, draftKey: string): Promise<Attachments> {
  const place = placeOf(app, draftKey);
  const known = opened.get(place);
  if (known !== undefined) return known;
  const kept = { key: keyOf(draftKey), writer: app.storage.writer() };
  const openIt = async (): Promise<Attachments> =>
    (await import('./attachments.ts')).openAttachments(app, kept);
  const loading = openIt();
  const forget = () => opened.delete(place);
  opened.set(place, loading);
  loading.catch(forget);
  onAbort(kept.writer.wiped, forget);
  return loading;
}

function placeOf({ membership }: AppParts, draftKey: string): string {
  const { value: standing } = membership.standing;
  return `${standing.kind === 'in' ? standing.account.id : ''} ${keyOf(draftKey)}`;
}

function keyOf(draftKey: string): string {
  return `files-${draftKey}`;
}

/* Beside those that the draft has. */
export async function bringFiles(app: AppParts, draftKey: string, kept: string): Promise<void> {
  (await openOnce(app, draftKey)).bring(kept);
}

/* The gateway would refuse it. */
export const noFilesOnHosts = 'Files cannot be brought to SSH hosts yet.';

/* `cannot`: why there can be none here. */
export function useAttachments(draftKey: string, cannot?: string): Attached {
  const app = useApp();
  const { storage } = app;
  const [open, setOpen] = useState<Attachments | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const place = placeOf(app, draftKey);
  const load = (): Promise<Attachments> => openOnce(app, draftKey);
  useEffect(() => {
    let isHere = true;
    setOpen(undefined);
    setProblem(undefined);
    void (async () => {
      if (!opened.has(place) && (await storage.drafts.read(keyOf(draftKey))) === undefined) return;
      const loaded = await load();
      if (isHere) setOpen(loaded);
    })().catch(() => undefined);
    return () => {
      isHere = false;
    };
  }, [place]);
  const add = (files: readonly File[]): void => {
    setProblem(cannot);
    if (cannot !== undefined || files.length === 0) return;
    void load().then(
      (loaded) => {
        loaded.add(files);
        setOpen(loaded);
      },
      () => setProblem('The part of the app for files could not be loaded. Try again.'),
    );
  };
  const list = open?.list.value ?? [];
  const ids = list.flatMap(({ state }) => (state.kind === 'whole' ? [state.id] : []));
  return {
    list,
    refusal: problem ?? (list.length > 0 ? cannot : undefined) ?? open?.refusal.value,
    ids,
    isReady: ids.length === list.length && (cannot === undefined || list.length === 0),
    add,
    onPaste: (event) => {
      const { clipboardData } = event;
      const files = [...(clipboardData?.files ?? [])];
      // Where there is text, too, the files are only how it looks.
      if (files.length === 0 || clipboardData?.getData('text/plain') !== '') return;
      event.preventDefault();
      add(files);
    },
    clear: () => open?.clear(),
    open,
  };
}
