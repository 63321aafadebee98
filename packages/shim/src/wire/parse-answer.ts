/*
 * What spawnd and shims say, parsed into one union.
 *
 * A type that we do not know is undefined and ignored: a newer shim may say
 * more (E5). A known type whose payload does not fit is `message-invalid`.
 */
import { asFields, booleanField, parseJsonFields } from '../json-fields.ts';
import { countField, numberField, optionalNumber, optionalString } from '../json-fields.ts';
import { stringField } from '../json-fields.ts';
import { ShimError } from '../errors.ts';
import { parseEndRecord, parseExitRecord, parseReason } from '../journal/records.ts';
import { parseStartRecord } from '../journal/records.ts';
import type {
  Answer,
  HelloAnswer,
  StartedAnswer,
  DoorbellAnswer,
  ExitAnswer,
  EndAnswer,
  SpawnErrorAnswer,
  OkAnswer,
  RefusedAnswer,
  BlockedAnswer,
  ShimLostAnswer,
  SpawndHelloAnswer,
  TerminatingAnswer,
} from './answers.ts';
import { readU64 } from './bytes.ts';
import {
  answerTypes,
  helloFlags,
  okFlags,
  okPlaceShift,
  refusalNames,
  shimStates,
} from './constants.ts';
import { unclaimedStages } from './constants.ts';
import type { WireFrame } from './frame-decoder.ts';

const parsers = new Map<number, (payload: Buffer) => Answer>([
  [answerTypes.hello, parseHello],
  [answerTypes.started, parseStarted],
  [answerTypes.doorbell, parseDoorbell],
  [answerTypes.exit, parseExit],
  [answerTypes.end, parseEnd],
  [answerTypes.spawnError, parseSpawnError],
  [answerTypes.ok, parseOk],
  [answerTypes.refused, parseRefused],
  [answerTypes.blocked, parseBlocked],
  [answerTypes.shimLost, parseShimLost],
  [answerTypes.spawndHello, parseSpawndHello],
  [answerTypes.terminating, parseTerminating],
]);

export function parseAnswer(frame: WireFrame): Answer | undefined {
  return parsers.get(frame.type)?.(frame.payload);
}

function parseHello(payload: Buffer): HelloAnswer {
  checkLength(payload, 44);
  const flags = payload.readUInt8(3);
  const state = shimStates[payload.readUInt8(2)];
  if (state === undefined) throw new ShimError('message-invalid', 'HELLO has an unknown state');
  return {
    type: 'hello',
    version: payload.readUInt16LE(0),
    state,
    isPty: (flags & helloFlags.pty) !== 0,
    isStdinOpen: (flags & helloFlags.stdinOpen) !== 0,
    isBlocked: (flags & helloFlags.blocked) !== 0,
    epoch: readU64(payload, 4),
    inputOffset: readU64(payload, 12),
    typedBytes: readU64(payload, 20),
    journalLength: readU64(payload, 28),
    shimPid: payload.readUInt32LE(36),
    rootPid: payload.readUInt32LE(40),
  };
}

function parseStarted(payload: Buffer): StartedAnswer {
  return { type: 'started', start: parseStartRecord(parseJsonFields(payload)) };
}

function parseDoorbell(payload: Buffer): DoorbellAnswer {
  checkLength(payload, 8);
  const tail = payload.length > 8 ? payload.subarray(8) : undefined;
  return { type: 'doorbell', journalLength: readU64(payload, 0), tail };
}

function parseExit(payload: Buffer): ExitAnswer {
  const { fields, journalLength } = parseLengthAndJson(payload);
  const exit = parseExitRecord(asFields(fields['exit'], 'exit'));
  return { type: 'exit', journalLength, exit };
}

function parseEnd(payload: Buffer): EndAnswer {
  const { fields, journalLength, rest } = parseLengthAndJson(payload);
  return {
    type: 'end',
    journalLength,
    exit: parseExitRecord(asFields(fields['exit'], 'exit')),
    end: parseEndRecord(asFields(fields['end'], 'end')),
    journal: rest.length === 0 ? undefined : rest,
  };
}

/* u64 journal length, u32 n, n bytes of JSON, the rest. */
function parseLengthAndJson(payload: Buffer) {
  checkLength(payload, 12);
  const jsonBytes = payload.readUInt32LE(8);
  checkLength(payload, 12 + jsonBytes);
  return {
    journalLength: readU64(payload, 0),
    fields: parseJsonFields(payload.subarray(12, 12 + jsonBytes)),
    rest: payload.subarray(12 + jsonBytes),
  };
}

function parseSpawnError(payload: Buffer): SpawnErrorAnswer {
  const fields = parseJsonFields(payload);
  const stage = stringField(fields, 'stage');
  return {
    type: 'spawn-error',
    stage,
    endFollows: !unclaimedStages.includes(stage),
    errno: countField(fields, 'errno'),
    message: optionalString(fields, 'message') ?? '',
  };
}

function parseOk(payload: Buffer): OkAnswer {
  checkLength(payload, 25);
  return {
    type: 'ok',
    epoch: readU64(payload, 0),
    inputOffset: readU64(payload, 8),
    answersQueries: (payload.readUInt8(16) & okFlags.answersQueries) !== 0,
    terminalPlace: payload.readUInt8(16) >> okPlaceShift,
    journalLength: readU64(payload, 17),
  };
}

function parseRefused(payload: Buffer): RefusedAnswer {
  checkLength(payload, 12);
  const messageBytes = payload.readUInt16LE(10);
  checkLength(payload, 12 + messageBytes);
  return {
    type: 'refused',
    refusal: refusalNames[payload.readUInt16LE(0) - 1] ?? 'unknown',
    epoch: readU64(payload, 2),
    message: payload.toString('utf8', 12, 12 + messageBytes),
  };
}

function parseBlocked(payload: Buffer): BlockedAnswer {
  const fields = parseJsonFields(payload);
  return {
    type: 'blocked',
    isBlocked: booleanField(fields, 'blocked'),
    why: optionalString(fields, 'why'),
    errno: optionalNumber(fields, 'errno'),
  };
}

function parseShimLost(payload: Buffer): ShimLostAnswer {
  const fields = parseJsonFields(payload);
  return {
    type: 'shim-lost',
    shimPid: numberField(fields, 'shimPid'),
    signal: optionalNumber(fields, 'signal'),
    swept: countField(fields, 'swept'),
    left: countField(fields, 'left'),
  };
}

function parseSpawndHello(payload: Buffer): SpawndHelloAnswer {
  const fields = parseJsonFields(payload);
  return {
    type: 'spawnd-hello',
    version: numberField(fields, 'version'),
    pid: numberField(fields, 'pid'),
    startTicks: numberField(fields, 'startTicks'),
    bootId: stringField(fields, 'bootId'),
    pidNs: numberField(fields, 'pidNs'),
  };
}

function parseTerminating(payload: Buffer): TerminatingAnswer {
  const fields = parseJsonFields(payload);
  return {
    type: 'terminating',
    reason: parseReason(fields),
    actor: optionalString(fields, 'actor'),
  };
}

/* Longer is fine: a newer shim may have added fields at the end. */
function checkLength(payload: Buffer, bytesMin: number): void {
  if (payload.length < bytesMin) {
    throw new ShimError('message-invalid', 'a message is too short', {
      detail: { length: payload.length, bytesMin },
    });
  }
}
