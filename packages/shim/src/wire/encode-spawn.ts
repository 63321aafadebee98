/*
 * SPAWN from a typed request.
 *
 * Stages: check what C could not tell us precisely later (a NUL would cut a
 * string short in silence), bound the size, write the fields with the version first.
 * Strings go out as UTF-8; a lone surrogate becomes U+FFFD, as everywhere in Node.
 */
import { ShimError } from '../errors.ts';
import {
  commandTypes,
  cookieBytes,
  grantAccessCodes,
  grantPathBytesMax,
  grantsMax,
  journalModeCodes,
  leftoversCodes,
  metaBytesMax,
  ownerLossCodes,
  protocolVersion,
  runIdBytesMax,
  shieldBits,
  shieldStepCodes,
  shieldStepsMax,
  spawnTags,
  stdinCodes,
} from './constants.ts';
import { createFrameWriter, type FrameWriter, utf8BytesPerUnit } from './frame-writer.ts';
import type { Confinement, DirectoryId, RateRequest } from './spawn-request.ts';
import type { ResourceLimit, ShieldRequest, ShieldStep, SpawnRequest } from './spawn-request.ts';

const fieldHeadBytes = 6;
/* Every field of fixed size together is below this. */
const fixedBytes = 512;
const rlimitBytes = fieldHeadBytes + 20;
const grantHeadBytes = fieldHeadBytes + 2;

export function encodeSpawn(request: SpawnRequest, handle: number): Buffer {
  checkRequest(request);
  const shield = request.shield === undefined ? undefined : shieldBytes(request.shield);
  const head = { type: commandTypes.spawn, id: handle };
  const writer = createFrameWriter(
    head,
    payloadBound(request) + fieldHeadBytes + (shield?.length ?? 0),
  );
  writer.field(spawnTags.version, () => writer.u16(protocolVersion));
  writeIdentity(writer, request);
  writeProgram(writer, request);
  writeLimits(writer, request);
  if (request.confine !== undefined) writeConfinement(writer, request.confine);
  if (shield !== undefined) writer.field(spawnTags.shield, () => writer.bytes(shield));
  writePolicy(writer, request);
  if (request.rate !== undefined) writeRate(writer, request.rate);
  return writer.finish();
}

function writeIdentity(writer: FrameWriter, request: SpawnRequest): void {
  const { owner } = request;
  writer.field(spawnTags.runDir, () => writer.text(request.runDir));
  writer.field(spawnTags.runId, () => writer.text(request.runId));
  writer.field(spawnTags.cookie, () => writer.bytes(request.cookie));
  writer.field(spawnTags.meta, () => writer.bytes(request.meta));
  writer.field(spawnTags.epoch, () => writer.u64(request.epoch));
  writer.field(spawnTags.owner, () => {
    writer.u64(owner.generation);
    writer.u32(owner.pid);
    writer.u64(owner.startTicks);
    writer.str(owner.instance);
  });
}

function writeProgram(writer: FrameWriter, request: SpawnRequest): void {
  const { file, pty, cwdId } = request;
  for (const arg of request.argv) writer.field(spawnTags.arg, () => writer.text(arg));
  for (const name of Object.keys(request.env)) {
    writer.field(spawnTags.env, () => writer.text(`${name}=${request.env[name]}`));
  }
  writer.field(spawnTags.cwd, () => writer.text(request.cwd));
  if (cwdId !== undefined) writer.field(spawnTags.cwdId, () => writer.bytes(bytesOf(cwdId)));
  if (file !== undefined) writer.field(spawnTags.file, () => writer.text(file));
  if (pty !== undefined) {
    writer.field(spawnTags.pty, () => {
      writer.u16(pty.cols);
      writer.u16(pty.rows);
    });
  }
  writer.field(spawnTags.stdin, () => writer.u8(stdinCodes[request.stdin]));
}

function bytesOf({ device, inode }: DirectoryId): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(device, 0);
  bytes.writeBigUInt64LE(inode, 8);
  return bytes;
}

function writeLimits(writer: FrameWriter, request: SpawnRequest): void {
  const { umask, nice, user, cgroup, oomScoreAdj } = request;
  if (umask !== undefined) writer.field(spawnTags.umask, () => writer.u32(umask));
  if (nice !== undefined) writer.field(spawnTags.nice, () => writer.i32(nice));
  for (const limit of request.rlimits ?? []) {
    writer.field(spawnTags.rlimit, () => {
      writer.u32(limit.resource);
      writeLimit(writer, limit.soft);
      writeLimit(writer, limit.hard);
    });
  }
  if (user !== undefined) {
    writer.field(spawnTags.user, () => {
      writer.u32(user.uid);
      writer.u32(user.gid);
      for (const group of user.groups) writer.u32(group);
    });
  }
  if (cgroup !== undefined) {
    writer.field(spawnTags.cgroup, () => writer.text(cgroup.path));
    writer.field(spawnTags.cgroupLimits, () => {
      writer.u64(cgroup.memoryBytesMax ?? 0);
      writer.u64(cgroup.processesMax ?? 0);
    });
  }
  if (oomScoreAdj !== undefined) writer.field(spawnTags.oomScoreAdj, () => writer.i32(oomScoreAdj));
}

function writeLimit(writer: FrameWriter, value: ResourceLimit['soft']): void {
  if (value === 'unlimited') writer.u64Max();
  else writer.u64(value);
}

function writePolicy(writer: FrameWriter, request: SpawnRequest): void {
  const { journal } = request;
  writer.field(spawnTags.overallMs, () => writeDeadline(writer, request.overallMs));
  writer.field(spawnTags.noOutputMs, () => writeDeadline(writer, request.noOutputMs));
  writer.field(spawnTags.graceMs, () => writer.u32(request.graceMs));
  writer.field(spawnTags.killMs, () => writer.u32(request.killMs));
  writer.field(spawnTags.startMs, () => writer.u32(request.startMs));
  writer.field(spawnTags.ownerLoss, () => writer.u8(ownerLossCodes[request.ownerLoss]));
  writer.field(spawnTags.leaseMs, () => writer.u32(request.leaseMs));
  writer.field(spawnTags.leftovers, () => writer.u8(leftoversCodes[request.leftovers]));
  writer.field(spawnTags.journal, () => {
    writer.u8(journalModeCodes[journal.mode]);
    writer.u64(journal.bytesMax);
    writer.u64(journal.segmentBytes);
  });
}

function writeRate(writer: FrameWriter, rate: RateRequest): void {
  writer.field(spawnTags.rate, () => {
    writer.u64(rate.bytesPerSecond);
    writer.u64(rate.burstBytes);
  });
  writer.field(spawnTags.rateFile, () => writer.text(rate.file));
}

function writeConfinement(writer: FrameWriter, { grants }: Confinement): void {
  writer.field(spawnTags.confine, () => undefined);
  for (const { path, access, isOptional } of grants) {
    writer.field(spawnTags.grant, () => {
      writer.u8(grantAccessCodes[access]);
      writer.u8(isOptional ? 1 : 0);
      writer.text(path);
    });
  }
}

/*
 * Many runs have the same shield, of a hundred steps: its bytes are made once for each description. So they are the same to the
 * letter, too, which is what spawnd compares.
 */
const shields = new WeakMap<ShieldRequest, Buffer>();

function shieldBytes(shield: ShieldRequest): Buffer {
  const known = shields.get(shield);
  if (known !== undefined) return known;
  checkShield(shield);
  const { steps = [], hasDomain, mark } = shield;
  const bits =
    (shield.steps === undefined ? 0 : shieldBits.namespace) | (hasDomain ? shieldBits.domain : 0);
  const parts = steps.flatMap((step) => [
    Buffer.from([shieldStepCodes[step.kind]]),
    ...textsOf(step).map(lengthAndText),
  ]);
  if (mark !== undefined) parts.push(Buffer.from([shieldStepCodes.mark]), lengthAndText(mark));
  const bytes = Buffer.concat([Buffer.from([bits]), ...parts]);
  shields.set(shield, bytes);
  return bytes;
}

/* `str` of the protocol. */
function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(`\0\0${text}`);
  bytes.writeUInt16LE(bytes.length - 2, 0);
  return bytes;
}

function textsOf(step: ShieldStep): readonly string[] {
  if (step.kind === 'replace') return [step.path, step.source];
  return step.kind === 'link' ? [step.path, step.target] : [step.path];
}

/* Zero is "none" on the wire; a deadline that is due means the next millisecond. */
function writeDeadline(writer: FrameWriter, ms: number | undefined): void {
  writer.u64(ms === undefined ? 0 : Math.max(1, ms));
}

function payloadBound(request: SpawnRequest): number {
  const { runDir, runId, cwd, file, owner, cgroup } = request;
  let units = runDir.length + runId.length + cwd.length + owner.instance.length;
  units += (file?.length ?? 0) + (cgroup?.path.length ?? 0) + (request.rate?.file.length ?? 0);
  let fields = 0;
  for (const arg of request.argv) {
    units += arg.length;
    fields += 1;
  }
  for (const name of Object.keys(request.env)) {
    units += name.length + 1 + (request.env[name]?.length ?? 0);
    fields += 1;
  }
  const grants = request.confine?.grants ?? [];
  for (const { path } of grants) units += path.length;
  return (
    fixedBytes +
    request.meta.length +
    units * utf8BytesPerUnit +
    fields * fieldHeadBytes +
    grants.length * grantHeadBytes +
    (request.rlimits?.length ?? 0) * rlimitBytes +
    (request.user?.groups.length ?? 0) * 4
  );
}

function checkRequest(request: SpawnRequest): void {
  const runIdBytes = Buffer.byteLength(request.runId);
  check(runIdBytes > 0 && runIdBytes <= runIdBytesMax, 'runId must have 1 to 31 bytes');
  check(request.cookie.length === cookieBytes, 'cookie must have 16 bytes');
  check(request.meta.length <= metaBytesMax, 'meta is longer than 64 KiB');
  check(request.runDir.startsWith('/'), 'runDir must be absolute');
  check(request.cwd.startsWith('/'), 'cwd must be absolute');
  checkNoNul('runDir', request.runDir);
  checkNoNul('runId', request.runId);
  checkNoNul('cwd', request.cwd);
  checkNoNul('file', request.file ?? '');
  checkNoNul('rate', request.rate?.file ?? '');
  checkNoNul('cgroup', request.cgroup?.path ?? '');
  checkGrants(request.confine?.grants ?? []);
  for (const arg of request.argv) checkNoNul('argv', arg);
  for (const name of Object.keys(request.env)) {
    check(name !== '' && !name.includes('='), 'an environment name is empty or holds "="');
    checkNoNul('env', name);
    checkNoNul('env', request.env[name] ?? '');
  }
}

function checkGrants(grants: Confinement['grants']): void {
  check(grants.length <= grantsMax, `confine takes at most ${grantsMax} grants`);
  for (const { path } of grants) {
    check(path.startsWith('/'), 'the path of a grant must be absolute');
    check(Buffer.byteLength(path) <= grantPathBytesMax, 'the path of a grant is too long');
    checkNoNul('confine', path);
  }
}

function checkShield({ steps, hasDomain, mark }: ShieldRequest): void {
  check(steps !== undefined || hasDomain, 'shield asks for nothing');
  const count = (steps?.length ?? 0) + (mark === undefined ? 0 : 1);
  check(count <= shieldStepsMax, `shield takes at most ${shieldStepsMax} steps`);
  check(mark === undefined || steps !== undefined, 'only steps have a mark');
  if (mark !== undefined) checkText(mark);
  for (const step of steps ?? []) {
    check(step.path.startsWith('/'), 'the path of a step must be absolute');
    for (const text of textsOf(step)) checkText(text);
    check(step.path !== '/' || step.kind === 'read-only', 'only read-only is for the root');
    if (step.kind === 'replace') check(step.source.startsWith('/'), 'a source must be absolute');
  }
}

function checkText(text: string): void {
  const bytes = Buffer.byteLength(text);
  check(bytes > 0 && bytes <= grantPathBytesMax, 'a text of a step is empty or too long');
  checkNoNul('shield', text);
}

function check(isRight: boolean, message: string): void {
  if (!isRight) throw new ShimError('spawn-invalid', message);
}

function checkNoNul(field: string, value: string): void {
  if (value.includes('\0')) {
    throw new ShimError('spawn-invalid', `${field} holds a NUL`, { detail: { field } });
  }
}
