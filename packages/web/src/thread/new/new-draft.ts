/*
 * What is written and chosen for a thread that is not begun, as the device keeps it: the words for each host, the choices for each agent
 * there, and where it is to be. Nothing that was typed is lost to what comes from elsewhere: that stands behind it.
 */
import type { DeviceStorage } from '../../storage/device-storage.ts';
import type { Chosen } from '../choices/choice-words.ts';

export const placeKey = 'new-place';
export const textKey = (host: string): string => `new-${host}`;
export const chosenKey = (host: string, agent: string): string => `new-chosen-${host}-${agent}`;
/* Under which its files are kept (use-attachments.ts). */
export const filesOf = 'new';

/* Empty: this machine, the usual agent, the usual directory. */
export interface NewPlace {
  readonly host: string;
  readonly agent: string;
  readonly directory: string;
}

/* What the device has kept may be of another version. */
export function readPlace(kept: string): NewPlace {
  const nowhere = { host: '', agent: '', directory: '' };
  try {
    const place: unknown = kept === '' ? {} : JSON.parse(kept);
    const isFit =
      typeof place === 'object' &&
      place !== null &&
      Object.values(place).every((one) => typeof one === 'string');
    return isFit ? { ...nowhere, ...place } : nowhere;
  } catch {
    return nowhere;
  }
}

export const writePlace = (place: NewPlace): string => JSON.stringify(place);

type Drafts = Pick<DeviceStorage, 'drafts' | 'writer'>;

/* Words for a thread, wherever it is going to be. */
export async function addToNew({ drafts, writer }: Drafts, text: string): Promise<void> {
  const { addDraft } = writer();
  const { host } = readPlace((await drafts.read(placeKey)) ?? '');
  await addDraft(textKey(host), text);
}

/* A thread that was sent off and did not begin. */
export async function takeBackToNew(
  { writer }: Drafts,
  { text, place, chosen }: { text: string; place: NewPlace; chosen: Chosen | undefined },
): Promise<void> {
  const { host, agent } = place;
  const { draft, addDraft } = writer();
  await addDraft(textKey(host), text);
  await draft(placeKey, writePlace(place));
  if (chosen !== undefined) await draft(chosenKey(host, agent), JSON.stringify(chosen));
}
