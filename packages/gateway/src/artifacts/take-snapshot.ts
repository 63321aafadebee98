/*
 * What is in the directories of a turn, copied: listed, chosen, read and stored by hash. Rows are for the caller to commit; until then nothing
 * names what was stored here, and doing all of it again is harmless.
 *
 * If there is more than may be kept, what is of this turn comes first: what was built before is kept only as far as there is room.
 * What the account has kept already takes none of its room. That is known when the content is, so a file that looks as it did in the turn before
 * is read also where the account is full; no other file is, or a full account would have whole trees read for nothing.
 */
import type { ArtifactNews, ArtifactRow, ArtifactsFound, MissingReason } from '@clawdfather/agents';
import { type AccountId, hasErrno, type Random } from '@clawdfather/kit';
import type { KeptArtifact } from '@clawdfather/store';
import { type ArtifactTree, type FoundFile, MissingList, type ReadFile } from './artifact-tree.ts';
import type { ContentStore, StoredContent } from './content-store.ts';
import { type ArtifactBounds, filesMax, readsMax, roomKeptBytes } from './limits.ts';

export interface SnapshotDeps {
  readonly contents: ContentStore;
  readonly random: Random;
  readonly bounds: Pick<ArtifactBounds, 'turnBytesMax' | 'accountBytesMax'>;
  /* Stays free on the disk. */
  readonly roomBytes?: number | undefined;
  readonly onPoint?: ((point: SnapshotPoint) => void) | undefined;
}

/* Places at which a crash is tried, for tests. */
export type SnapshotPoint =
  | 'before-list'
  | 'before-file'
  | 'before-store'
  | 'after-store'
  | 'before-rows'
  | 'after-rows';

export interface SnapshotOf {
  readonly accountId: AccountId;
  readonly turnId: string;
  /* When the turn began. */
  readonly sinceMs: number;
  readonly tree: ArtifactTree;
  readonly dirs: readonly string[];
  /* Of the turn before; undefined: there was none. */
  readonly previous: readonly KeptArtifact[] | undefined;
  /* What the account has kept already. */
  readonly bytesKept: number;
  readonly isKept: (sha256: string) => Promise<boolean>;
}

/* File systems round times, some to two seconds. */
const timeRoundedMs = 2_000;

export async function takeSnapshot(
  deps: SnapshotDeps,
  wanted: SnapshotOf,
  signal: AbortSignal,
): Promise<ArtifactsFound> {
  const { turnId, tree, dirs } = wanted;
  deps.onPoint?.('before-list');
  const listing = await tree.list(hintsOf(dirs), signal);
  const missing = new MissingList();
  const before = new Map(wanted.previous?.map((one) => [one.relativePath, one]));
  const room = await roomOf(deps, wanted);
  const items: ArtifactRow[] = [];
  for (const file of inOrder(listing.files, wanted, before)) {
    signal.throwIfAborted();
    const { path, sizeBytes } = file;
    const mayBeKept = before.get(path)?.sizeBytes === sizeBytes;
    const refusal = items.length >= filesMax ? 'too-many' : room.refusal(sizeBytes, mayBeKept);
    const taken = refusal ?? (await store(deps, { ...wanted, file, room }, signal));
    if (typeof taken === 'string') {
      missing.add(path, taken);
      continue;
    }
    const { stored, isKeptAlready } = taken;
    room.take(stored.sizeBytes, isKeptAlready);
    items.push({
      id: deps.random.id(),
      turnId,
      relativePath: path,
      ...stored,
      news: newsOf(stored, before.get(path), wanted),
    });
  }
  missing.addAll(listing.missing);
  const ordered = items.toSorted((one, other) => compare(one.relativePath, other.relativePath));
  return { turnId, items: ordered, missing: missing.items, missingCount: missing.count };
}

/* Each once, and none that another one contains. */
function hintsOf(dirs: readonly string[]): readonly string[] {
  const names = [...new Set(dirs.map((dir) => dir.replace(/\/$/, '')))];
  return names.filter((name) => !names.some((other) => name.startsWith(`${other}/`)));
}

type Before = ReadonlyMap<string, KeptArtifact>;

/* What looks as if it were of this turn, then the rest. */
function inOrder(
  files: readonly FoundFile[],
  { sinceMs, previous }: SnapshotOf,
  before: Before,
): readonly FoundFile[] {
  const isFresh = ({ path, sizeBytes, modifiedAtMs }: FoundFile): boolean => {
    if (modifiedAtMs >= sinceMs - timeRoundedMs) return true;
    return previous !== undefined && before.get(path)?.sizeBytes !== sizeBytes;
  };
  const sorted = files.toSorted((one, other) => compare(one.path, other.path));
  return [...sorted.filter(isFresh), ...sorted.filter((file) => !isFresh(file))];
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function newsOf(
  { sha256, modifiedAtMs }: StoredContent & ReadFile,
  before: KeptArtifact | undefined,
  { previous, sinceMs }: SnapshotOf,
): ArtifactNews {
  if (before !== undefined) return before.sha256 === sha256 ? 'unchanged' : 'changed';
  if (previous !== undefined) return 'new';
  return modifiedAtMs >= sinceMs - timeRoundedMs ? 'new' : 'unchanged';
}

interface Room {
  /* Why a file of this size cannot be kept; undefined: it can. */
  refusal(bytes: number, isKeptAlready: boolean): MissingReason | undefined;
  take(bytes: number, isKeptAlready: boolean): void;
}

async function roomOf(deps: SnapshotDeps, { bytesKept }: SnapshotOf): Promise<Room> {
  const { bounds, contents, roomBytes = roomKeptBytes } = deps;
  let ofTurn = bounds.turnBytesMax;
  let ofAccount = bounds.accountBytesMax - bytesKept;
  let ofDisk = (await contents.freeBytes()) - roomBytes;
  return {
    refusal: (bytes, isKeptAlready) => {
      if (bytes > ofTurn) return 'turn-full';
      if (!isKeptAlready && bytes > ofAccount) return 'account-full';
      return bytes > ofDisk ? 'disk-full' : undefined;
    },
    take: (bytes, isKeptAlready) => {
      ofTurn -= bytes;
      ofDisk -= bytes;
      if (!isKeptAlready) ofAccount -= bytes;
    },
  };
}

interface ToStore extends SnapshotOf {
  readonly file: FoundFile;
  readonly room: Room;
}

interface Taken {
  readonly stored: StoredContent & ReadFile;
  readonly isKeptAlready: boolean;
}

/* A file that is being written is given some tries. */
async function store(
  deps: SnapshotDeps,
  wanted: ToStore,
  signal: AbortSignal,
): Promise<Taken | MissingReason> {
  for (let tries = 1; ; tries += 1) {
    const stored = await storeOnce(deps, wanted, signal);
    if (stored !== 'changed' || tries >= readsMax) return stored;
  }
}

async function storeOnce(
  { contents, onPoint }: SnapshotDeps,
  { tree, file, accountId, isKept, room }: ToStore,
  signal: AbortSignal,
): Promise<Taken | MissingReason> {
  onPoint?.('before-file');
  const intake = await contents.openIntake().catch(fullOrThrow);
  if (typeof intake === 'string') return intake;
  try {
    const read = await tree.read(file, (piece) => intake.take(piece), signal);
    if (typeof read === 'string') return read;
    const { sha256, sizeBytes } = intake.content();
    const isKeptAlready = await isKept(sha256);
    const refusal = room.refusal(sizeBytes, isKeptAlready);
    if (refusal !== undefined) return refusal;
    onPoint?.('before-store');
    const stored = await intake.keep(accountId);
    onPoint?.('after-store');
    return { stored: { ...stored, ...read }, isKeptAlready };
  } catch (error) {
    return fullOrThrow(error);
  } finally {
    await intake.drop();
  }
}

function fullOrThrow(error: unknown): MissingReason {
  if (hasErrno(error, 'ENOSPC', 'EDQUOT')) return 'disk-full';
  throw error;
}
