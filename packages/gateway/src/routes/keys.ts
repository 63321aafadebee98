/*
 * SSH keys over HTTP. Nothing here ever holds a private half in clear: it is made and sealed in `packages/ssh`.
 */
import type { Api } from '@clawdfather/protocol/api';
import {
  formatInstallCommand,
  type KeyCustody,
  nextConnectionKeys as nextKeys,
  revokeKey,
} from '@clawdfather/ssh';
import type { Keypair, Store } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { formatTime } from '../http/format-time.ts';
import { askerOf, auditOf, type Handlers } from '../http/handlers.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { createRevocation } from '../sessions/create-revocation.ts';
import { pageOfAll } from './page-of-all.ts';

export interface KeysParts {
  readonly store: Store;
  readonly custody: KeyCustody;
  readonly sessions: Sessions;
}

/* Each key has to be installed somewhere by hand, and a person cannot keep track of more. */
const activeMax = 5;

export function createKeysHandlers(parts: KeysParts): Handlers<Api['keys']> {
  const { store, custody } = parts;
  return {
    list: async ({ caller, query }) => {
      const keys = await store.forAccount(caller.accountId).keypairs.list();
      return pageOfAll(keys.map(show), query);
    },
    create: async (call) => {
      const { accountId } = call.caller;
      const { label } = call.body;
      const key = await custody.create(accountId, label);
      const created = await store.forAccount(accountId).keypairs.create({
        key,
        label,
        activeMax,
        audit: auditOf(call, 'key.create', { fingerprint: key.fingerprint }),
      });
      if (created.outcome !== 'created') throw new ApiError(created.outcome);
      return { key: show(created.keypair) };
    },
    remove: async (call) => {
      const { accountId } = call.caller;
      const audit = auditOf(call, 'key.revoke');
      const revocation = createRevocation(parts, { accountId, audit, by: askerOf(call) });
      const isForced = call.query.force === 'true';
      const outcome = await revokeKey(revocation, { id: call.params.id, isForced });
      if (outcome === 'not_found') throw notFound();
      if (outcome === 'active_sessions_exist') {
        throw new ApiError(outcome, undefined, { hint: 'close them, or repeat with ?force=true' });
      }
      return undefined;
    },
    rotate: async (call) => {
      const { accountId } = call.caller;
      const { keypairs } = store.forAccount(accountId);
      const old = await keypairs.get(call.params.id);
      if (old?.status !== 'active') throw notFound();
      const key = await custody.create(accountId, old.label);
      const rotated = await keypairs.rotate({
        id: old.id,
        key,
        nextKeys,
        audit: auditOf(call, 'key.rotate', { to: key.id, fingerprint: key.fingerprint }),
      });
      if (rotated.outcome !== 'rotated') throw notFound();
      return { key: show(rotated.keypair), connection_ids: [...rotated.connectionIds] };
    },
    installCommand: async ({ caller, params }) => {
      const key = await store.forAccount(caller.accountId).keypairs.get(params.id);
      if (key?.status !== 'active') throw notFound();
      const { publicKey, fingerprint } = key;
      return { command: formatInstallCommand(publicKey), public_key: publicKey, fingerprint };
    },
  };
}

function show(keypair: Keypair) {
  const { id, label, publicKey, fingerprint, status, createdAtMs } = keypair;
  return {
    id,
    label,
    public_key: publicKey,
    fingerprint,
    status,
    rotated_to_id: keypair.rotatedToId ?? null,
    created_at: formatTime(createdAtMs),
  };
}
