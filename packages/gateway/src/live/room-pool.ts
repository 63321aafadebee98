/*
 * Memory for full chunks, used again. In a flood every chunk is as large as the next, and fresh memory for each makes the
 * collector walk the whole heap several times a second, for three quarters of all processor time.
 *
 * A room comes back when it is no longer used: the window has dropped its chunk, and every socket has handed it to
 * the kernel. One that never comes back is collected like any other; none comes back early.
 */
import { headerBytesMax } from './chunk.ts';
import { chunkBytesMax } from './limits.ts';

export interface RoomPool {
  /* Of `headerBytesMax` and `chunkBytesMax` bytes; its content is arbitrary. */
  take(): Buffer;
  give(room: Buffer): void;
}

/* Four windows' worth: several floods at once. Kept for the gateway's life. */
const roomsMax = 64;

export function createRoomPool(): RoomPool {
  const rooms: Buffer[] = [];
  return {
    take: () => rooms.pop() ?? Buffer.allocUnsafeSlow(headerBytesMax + chunkBytesMax),
    give: (room) => {
      if (rooms.length < roomsMax) rooms.push(room);
    },
  };
}
