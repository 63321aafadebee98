/*
 * Which gateway answers, and whether it was restarted: told by the header that is on every answer, refusals and streams too. A network
 * that is down gives no answer at all, so the two are never mixed up.
 *
 * Several gateways may be behind one address: generations are compared only among the answers of one instance. An answer that was
 * overtaken by a newer generation is old news.
 */
import { makeRoom } from '@clawdfather/kit';
import type { GatewayIdentity } from '@clawdfather/protocol/api';

export interface GatewayRestart {
  readonly gateway: GatewayIdentity;
  /* The generation that was last seen of this instance. */
  readonly generationBefore: number;
}

export interface GatewayWatch {
  /* Who answered last. Undefined: nobody yet, or a gateway that does not say. */
  readonly last: GatewayIdentity | undefined;
  /* Until the returned function is called. */
  onRestart(listener: (restart: GatewayRestart) => void): () => void;
  /* For what comes another way, such as the first message of a socket. */
  note(gateway: GatewayIdentity): void;
}

/* More than stand behind one address; beyond it the oldest is forgotten, and met anew. */
const instancesMax = 64;

export function createGatewayWatch(): GatewayWatch {
  const generations = new Map<string, number>();
  const listeners = new Set<(restart: GatewayRestart) => void>();
  let last: GatewayIdentity | undefined;
  return {
    get last() {
      return last;
    },
    onRestart: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    note: (gateway) => {
      const { instanceId, generation } = gateway;
      const before = generations.get(instanceId);
      if (before !== undefined && generation < before) return;
      last = gateway;
      if (before === generation) return;
      if (before === undefined) makeRoom(generations, instancesMax);
      generations.set(instanceId, generation);
      if (before === undefined) return;
      for (const listener of listeners) listener({ gateway, generationBefore: before });
    },
  };
}
