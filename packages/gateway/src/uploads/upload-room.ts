/*
 * The bound on the files of an account that are on their way to a prompt (UP3), and which of those that prompts have taken go for a new one. Pure.
 *
 * What was taken is with its agent as a copy, and is kept only for another prompt with it. So it never stands in the way of a new file.
 */
import { tokenShareOf } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';

export interface KeptUpload {
  readonly id: string;
  readonly size: number;
  readonly isOfToken: boolean;
  /* Undefined: no prompt has it. */
  readonly takenAtMs: number | undefined;
}

export type WantedUpload = Pick<KeptUpload, 'size' | 'isOfToken'>;

/* Of one account: some prompts' worth of pictures, and no disk is filled. */
const filesMax = 100;
const bytesMax = 512 * 1024 * 1024;

/* The ids of those that go, the ones that were taken first. Throws `upload_limit_reached`, and then none goes. */
export function goneFor(wanted: WantedUpload, kept: readonly KeptUpload[]): readonly string[] {
  const bounds = [
    { filesMax, bytesMax, counts: () => true },
    // A person finds a place beside an agent that fills all of its own.
    {
      filesMax: tokenShareOf(filesMax),
      bytesMax: tokenShareOf(bytesMax),
      counts: (upload: WantedUpload) => upload.isOfToken,
    },
  ];
  const left = new Set(kept);
  const taken = kept
    .filter(({ takenAtMs }) => takenAtMs !== undefined)
    .toSorted((one, other) => (one.takenAtMs ?? 0) - (other.takenAtMs ?? 0));
  const gone: string[] = [];
  for (const bound of bounds.filter(({ counts }) => counts(wanted))) {
    const counted = () => [...left].filter(bound.counts);
    while (!hasRoom(wanted, counted(), bound)) {
      const next = taken.find((upload) => left.has(upload) && bound.counts(upload));
      if (next === undefined) throw noRoom(counted(), bound);
      left.delete(next);
      gone.push(next.id);
    }
  }
  return gone;
}

interface Bound {
  readonly filesMax: number;
  readonly bytesMax: number;
}

function hasRoom({ size }: WantedUpload, counted: readonly KeptUpload[], bound: Bound): boolean {
  return counted.length < bound.filesMax && bytesOf(counted) + size <= bound.bytesMax;
}

function bytesOf(uploads: readonly KeptUpload[]): number {
  return uploads.reduce((bytes, { size }) => bytes + size, 0);
}

function noRoom(counted: readonly KeptUpload[], bound: Bound): ApiError {
  const files_max = bound.filesMax;
  const bytes_max = bound.bytesMax;
  return new ApiError('upload_limit_reached', undefined, {
    detail: { files: counted.length, bytes: bytesOf(counted), files_max, bytes_max },
    hint: 'Send some with a prompt, remove some, or wait: each goes a day after it was announced.',
  });
}
