/*
 * The numbers of the shim protocol, version 1 (docs/protocol/shim.md).
 *
 * The C program has the same list in its header. Numbers are never reused.
 * Framing, AUTH, HELLO, CLAIM, TERMINATE and REFUSED are frozen (E5).
 */
import { type TerminationReason, terminationReasons } from '@clawdfather/kit';

export { type TerminationReason, terminationReasons };

export const protocolVersion = 1;

/* A frame is u32 length, then 8 bytes of header, then the payload. */
export const lengthBytes = 4;
export const frameHeaderBytes = 8;
/* A journal payload (1 MiB) with room for the fields before it. */
export const frameLengthMax = 1024 * 1024 + 64;

export const cookieBytes = 16;
/* The journal's header has 32 bytes for it, NUL padded. */
export const runIdBytesMax = 31;
/* It becomes one journal frame and is read at every rebuild. */
export const metaBytesMax = 64 * 1024;

export const commandTypes = {
  spawn: 1,
  auth: 2,
  claim: 3,
  deadlines: 4,
  policy: 5,
  release: 6,
  input: 7,
  eof: 8,
  resize: 9,
  signal: 10,
  terminate: 11,
  watch: 12,
  consumed: 13,
  attach: 14,
  'hold-size': 15,
} as const;

export const answerTypes = {
  hello: 64,
  started: 65,
  doorbell: 66,
  exit: 67,
  end: 68,
  spawnError: 69,
  ok: 70,
  refused: 71,
  blocked: 72,
  shimLost: 73,
  spawndHello: 74,
  terminating: 75,
} as const;

/* In the order of their numbers, from 0. */
export const shimStates = ['starting', 'running', 'terminating', 'exited', 'ended'] as const;
export type ShimState = (typeof shimStates)[number];

/* Bits of HELLO's flags. */
export const helloFlags = { pty: 1, stdinOpen: 2, blocked: 4 } as const;
/* Bits of OK's flags. */
export const okFlags = { answersQueries: 1 } as const;
/* The rest of the flags is a terminal's place. */
export const okPlaceShift = 1;

/* Stages of a failed start in which no journal exists yet, so no END follows. */
export const unclaimedStages: readonly string[] = ['request', 'claim', 'spawnd'];

/* In the order of their numbers, from 1. */
export const refusalNames = [
  'bad-message',
  'bad-cookie',
  'bad-version',
  'stale-epoch',
  'gap',
  'closed',
  'unsupported',
  'not-running',
  'bad-state',
] as const;
export type RefusalName = (typeof refusalNames)[number];

/* The reasons that can be asked for; the others are facts. */
export type TerminateReason = Extract<
  TerminationReason,
  'manual-cancel' | 'overall-timeout' | 'no-output-timeout' | 'owner-lost'
>;

export const ownerLossCodes = { adopt: 0, kill: 1 } as const;
export type OwnerLossPolicy = keyof typeof ownerLossCodes;

export const leftoversCodes = { fail: 0, end: 1, keep: 2 } as const;
export type LeftoversPolicy = keyof typeof leftoversCodes;

export const journalModeCodes = { ring: 0, hold: 1 } as const;
export type JournalMode = keyof typeof journalModeCodes;

export const stdinCodes = { open: 0, null: 1 } as const;
export type StdinKind = keyof typeof stdinCodes;

/* What a confined command may do in one place. */
export const grantAccessCodes = { read: 0, execute: 1, write: 2 } as const;
export type GrantAccess = keyof typeof grantAccessCodes;
export const grantsMax = 64;
export const grantPathBytesMax = 4_095;

/* What a step of a shield does with a path (docs/protocol/shim.md). */
export const shieldStepCodes = {
  hide: 0,
  'read-only': 1,
  pin: 2,
  keep: 3,
  replace: 4,
  link: 5,
  terminals: 6,
  mark: 7,
} as const;
export const shieldStepsMax = 256;
export const shieldBits = { namespace: 1, domain: 2 } as const;

/* SPAWN's fields. Tags below 0x8000 that the shim does not know are an error. */
export const spawnTags = {
  version: 1,
  runDir: 2,
  runId: 3,
  cookie: 4,
  meta: 5,
  epoch: 6,
  owner: 7,
  arg: 8,
  env: 9,
  cwd: 10,
  file: 11,
  pty: 12,
  stdin: 13,
  umask: 14,
  nice: 15,
  rlimit: 16,
  user: 17,
  cgroup: 18,
  cgroupLimits: 19,
  overallMs: 20,
  noOutputMs: 21,
  graceMs: 22,
  killMs: 23,
  startMs: 24,
  ownerLoss: 25,
  leaseMs: 26,
  leftovers: 27,
  journal: 28,
  oomScoreAdj: 29,
  confine: 30,
  grant: 31,
  cwdId: 32,
  shield: 33,
  rate: 34,
  rateFile: 35,
} as const;
