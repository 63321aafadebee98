/*
 * Files for prompts: what comes in, what is handed to agents, and the sweep that removes both when their time is over, also of accounts
 * that never come back.
 */
import { createHandOver, type HandOver, type HandOverDeps } from './hand-over.ts';
import { createInTurn } from './in-turn.ts';
import { createUploads, type Uploads, type UploadsDeps } from './upload-files.ts';

export interface Attachments {
  readonly uploads: Uploads;
  readonly handOver: HandOver;
  readonly sweep: () => Promise<void>;
}

export function createAttachments(
  deps: Omit<UploadsDeps & HandOverDeps, 'uploads' | 'inTurn'>,
): Attachments {
  // One for all of it: nothing is removed while it is added to, checked or handed over.
  const inTurn = createInTurn();
  const uploads = createUploads({ ...deps, inTurn });
  const { handOver, sweep } = createHandOver({ ...deps, inTurn, uploads });
  return {
    uploads,
    handOver,
    sweep: async () => {
      try {
        await uploads.sweep();
      } finally {
        await sweep();
      }
    },
  };
}
