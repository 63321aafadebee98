/*
 * What turns leave: the files that were kept at the end of a turn, and their bytes by an address that is signed.
 */
import { z } from 'zod';
import { hourMs, idParams, idSchema, lineSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* More places than a project has for what it makes. */
const dirsMax = 16;
const dirCharactersMax = 256;

/* A place below the thread's directory, such as `build/reports`. */
const artifactDirSchema = lineSchema(dirCharactersMax).refine(isBelow, {
  message: 'is a directory below the thread’s own, without “..”',
});

export const artifactDirsSchema = z.array(artifactDirSchema).min(1).max(dirsMax);

function isBelow(path: string): boolean {
  const names = path.replace(/\/$/, '').split('/');
  return names.every((name) => name !== '' && name !== '.' && name !== '..');
}

export const artifactSyncStatusSchema = z.enum([
  'no-artifacts',
  'syncing',
  'synced',
  'partial',
  'failed',
]);

const missingSchema = z.object({
  /* Below the thread's directory; `.` is that itself. */
  path: z.string(),
  reason: z.enum([
    'too-large',
    'too-many',
    'too-deep',
    'turn-full',
    'account-full',
    'disk-full',
    'symlink',
    'not-a-file',
    'odd-name',
    'unreadable',
    'vanished',
    'changed',
    'unreachable',
    'not-allowed',
    'not-stored',
  ]),
});

export const artifactSyncSchema = z
  .object({
    status: artifactSyncStatusSchema,
    /* How many files were kept. */
    count: z.int(),
    /* The first of those that were not. */
    missing: z.array(missingSchema),
    missing_count: z.int(),
  })
  .meta({ id: 'ArtifactSync' });

export const artifactSchema = z
  .object({
    id: idSchema,
    relative_path: z.string(),
    content_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string(),
    /* Against the snapshot of the turn before. */
    news: z.enum(['new', 'changed', 'unchanged']),
    modified_at: timeSchema,
    /* Good for 24 h; null: its bytes are kept no longer. */
    download_url: z.string().nullable(),
  })
  .meta({ id: 'Artifact' });

export const artifactsEndpoints = endpoints({
  ofTurn: {
    method: 'GET',
    path: '/api/v1/turns/:id/artifacts',
    summary: 'What a turn has left in its directory, with addresses to download it from',
    access: 'read',
    params: idParams,
    answer: z.object({ items: z.array(artifactSchema), artifact_sync: artifactSyncSchema }),
    errors: ['not_found'],
  },
  download: {
    method: 'GET',
    path: '/api/v1/artifacts/:id',
    summary:
      'The bytes of one file, by the address that a list gave; whoever has the address may read it. Ranges can be asked for',
    access: 'open',
    params: idParams,
    query: z.strictObject({
      /* Seconds since 1970. */
      expires: z.string().regex(/^[1-9][0-9]{0,11}$/, 'is no time'),
      signature: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is no signature'),
    }),
    status: 200,
    errors: ['not_found', 'expired', 'range_not_satisfiable', 'unavailable'],
    limit: { hitsMax: 20_000, windowMs: hourMs, per: 'ip' },
    takesLong: true,
  },
});
