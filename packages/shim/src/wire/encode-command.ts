/*
 * Every command of a control connection, from a typed union.
 *
 * Each carries the sender's epoch but AUTH and WATCH: a supervisor that was
 * frozen and wakes up is refused by the shim, not by its own good manners (O3).
 */
import { commandTypes, leftoversCodes, ownerLossCodes, terminationReasons } from './constants.ts';
import type { LeftoversPolicy, OwnerLossPolicy, TerminateReason } from './constants.ts';
import { cookieBytes, protocolVersion } from './constants.ts';
import { createFrameWriter, type FrameWriter, utf8BytesPerUnit } from './frame-writer.ts';

export type Command =
  | { readonly type: 'auth'; readonly cookie: Uint8Array; readonly version?: number }
  | {
      readonly type: 'claim';
      readonly epoch: number;
      readonly generation: number;
      readonly pid: number;
      readonly startTicks: number;
      readonly instance: string;
    }
  | {
      readonly type: 'deadlines';
      readonly epoch: number;
      /* From now; `none` takes a deadline away, `keep` leaves it as it is. */
      readonly overallMs: number | 'none' | 'keep';
      readonly noOutputMs: number | 'none' | 'keep';
    }
  | {
      readonly type: 'policy';
      readonly epoch: number;
      readonly ownerLoss: OwnerLossPolicy;
      readonly leftovers: LeftoversPolicy;
    }
  | { readonly type: 'release'; readonly epoch: number }
  | {
      readonly type: 'input';
      readonly epoch: number;
      readonly offset: number | 'typed';
      readonly bytes: Uint8Array;
    }
  | { readonly type: 'eof'; readonly epoch: number; readonly offset: number | 'now' }
  | {
      readonly type: 'resize';
      readonly epoch: number;
      readonly cols: number;
      readonly rows: number;
    }
  /* Until this connection ends; 0 by 0: no longer. An older shim refuses it as unsupported. */
  | {
      readonly type: 'hold-size';
      readonly epoch: number;
      readonly cols: number;
      readonly rows: number;
    }
  | {
      readonly type: 'signal';
      readonly epoch: number;
      readonly number: number;
      readonly actor: string;
    }
  | {
      readonly type: 'terminate';
      readonly epoch: number;
      readonly reason: TerminateReason;
      /* Absent: the run's own. */
      readonly graceMs?: number | undefined;
      readonly actor: string;
    }
  /* `isBellOnly`: doorbells and nothing else, in place of spawnd's link: one hop less from a key to its echo. */
  | { readonly type: 'watch'; readonly isBellOnly?: boolean }
  | { readonly type: 'consumed'; readonly epoch: number; readonly offset: number }
  | { readonly type: 'attach'; readonly epoch: number; readonly isAttached: boolean };

/* Room for the fields of fixed size of any command. */
const fixedBytes = 64;
const graceOfTheRun = 0xffff_ffff;

export function encodeCommand(command: Command, id: number): Buffer {
  const head = { type: commandTypes[command.type], id };
  const writer = createFrameWriter(head, fixedBytes + variableBytes(command));
  if (command.type !== 'auth' && command.type !== 'watch') writer.u64(command.epoch);
  writeFields(writer, command);
  return writer.finish();
}

function variableBytes(command: Command): number {
  if (command.type === 'input') return command.bytes.length;
  if (command.type === 'claim') return command.instance.length * utf8BytesPerUnit;
  if (command.type === 'signal' || command.type === 'terminate') {
    return command.actor.length * utf8BytesPerUnit;
  }
  return 0;
}

function writeFields(writer: FrameWriter, command: Command): void {
  switch (command.type) {
    case 'auth':
      if (command.cookie.length !== cookieBytes) throw new RangeError('a cookie has 16 bytes');
      writer.u16(command.version ?? protocolVersion);
      return writer.bytes(command.cookie);
    case 'claim':
      writer.u64(command.generation);
      writer.u32(command.pid);
      writer.u64(command.startTicks);
      return writer.str(command.instance);
    case 'deadlines':
      writeDeadline(writer, command.overallMs);
      return writeDeadline(writer, command.noOutputMs);
    case 'policy':
      writer.u8(ownerLossCodes[command.ownerLoss]);
      return writer.u8(leftoversCodes[command.leftovers]);
    case 'input':
      writeOffset(writer, command.offset);
      return writer.bytes(command.bytes);
    case 'eof':
      return writeOffset(writer, command.offset);
    case 'resize':
    case 'hold-size':
      writer.u16(command.cols);
      return writer.u16(command.rows);
    case 'signal':
      writer.u32(command.number);
      return writer.str(command.actor);
    case 'terminate':
      writer.u8(terminationReasons.indexOf(command.reason));
      writer.u32(command.graceMs ?? graceOfTheRun);
      return writer.str(command.actor);
    case 'consumed':
      return writer.u64(command.offset);
    case 'attach':
      return writer.u8(command.isAttached ? 1 : 0);
    case 'watch':
      return command.isBellOnly === true ? writer.u8(1) : undefined;
    case 'release':
      return undefined;
  }
}

/* Zero is "none" on the wire; a deadline that is due means the next millisecond. */
function writeDeadline(writer: FrameWriter, ms: number | 'none' | 'keep'): void {
  if (ms === 'keep') writer.u64Max();
  else writer.u64(ms === 'none' ? 0 : Math.max(1, ms));
}

function writeOffset(writer: FrameWriter, offset: number | 'typed' | 'now'): void {
  if (typeof offset === 'number') writer.u64(offset);
  else writer.u64Max();
}
