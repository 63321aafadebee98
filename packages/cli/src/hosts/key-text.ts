/*
 * Keys as JSON, and what is said of them.
 */
import type { Json } from '../render/run-json.ts';
import type { Host, Key } from './find-one.ts';

export function keyJson(key: Key, hosts: readonly Host[]): Json {
  return {
    id: key.id,
    label: key.label,
    status: key.status,
    publicKey: key.public_key,
    fingerprint: key.fingerprint,
    rotatedToId: key.rotated_to_id,
    hosts: hostsOf(key, hosts),
    createdAt: key.created_at,
  };
}

/* The names of the hosts that it is used for, or is to be used for. */
export function hostsOf({ id }: Pick<Key, 'id'>, hosts: readonly Host[]): readonly string[] {
  return hosts
    .filter((host) => host.keypair_id === id || host.next_keypair_id === id)
    .map(({ label }) => label);
}
