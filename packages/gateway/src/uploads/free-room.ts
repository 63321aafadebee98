/*
 * What files for prompts leave free on a disk. The journals of runs and the database need it more: a run that cannot write its output stands
 * still, and a person can send a file later.
 */
import { statfs } from 'node:fs/promises';
import { roomKeptBytes } from '../artifacts/limits.ts';
import { ApiError } from '../http/api-error.ts';

export interface RoomDeps {
  /* Absent: as much as artifacts leave. */
  readonly roomBytes?: number | undefined;
}

/* Throws `storage_full` where so many bytes more would leave less. */
export async function refuseWithoutRoom(
  { roomBytes = roomKeptBytes }: RoomDeps,
  place: string | Buffer,
  bytes: number,
): Promise<void> {
  const { bavail, bsize } = await statfs(place);
  if (bavail * bsize - bytes < roomBytes) throw new ApiError('storage_full');
}
