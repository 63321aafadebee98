/*
 * A shim that does not know a command, made of one that does: a door in front of its socket gives the command a number that no version has.
 */
import { renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

const headBytes = 8;
const unknownCommand = 250;

/* `command` is its number in docs/protocol/shim.md. */
export async function makeOlder(runDir: string, command: number): Promise<AsyncDisposable> {
  const [path, behind] = [join(runDir, 's'), join(runDir, 's-behind')];
  renameSync(path, behind);
  const sockets = new Set<Socket>();
  const door = createServer((client) => {
    const shim = connect(behind);
    const rename = createRenamer(command);
    client.on('data', (bytes: Buffer) => void shim.write(rename(bytes)));
    shim.on('data', (bytes: Buffer) => void client.write(bytes));
    for (const [one, other] of [
      [client, shim],
      [shim, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => door.listen(path, resolve));
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => door.close(resolve));
      rmSync(path, { force: true });
      renameSync(behind, path);
    },
  };
}

/* Whole frames: u32 length, u32 type, and the rest. */
function createRenamer(command: number): (bytes: Buffer) => Buffer {
  let waiting = Buffer.alloc(0);
  return (bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    let at = 0;
    while (waiting.length >= at + headBytes) {
      const frameBytes = 4 + waiting.readUInt32LE(at);
      if (waiting.length < at + frameBytes) break;
      if (waiting.readUInt32LE(at + 4) === command) waiting.writeUInt32LE(unknownCommand, at + 4);
      at += frameBytes;
    }
    const whole = waiting.subarray(0, at);
    waiting = waiting.subarray(at);
    return whole;
  };
}
