/*
 * What reaches out to an SSH host for the API: a probe of an address, and a test of a connection. The port is declared here; the
 * routes record what it says. It throws an `ApiError` with `host_not_allowed` for an address that the account may not reach.
 */
import type { AccountId, Connection, HostPin } from '@clawdfather/store';

export interface HostProbe {
  readonly status: 'connectable' | 'dns_fail' | 'port_fail' | 'ssh_fail';
  readonly latencyMs?: number;
}

export interface HostTestCall {
  readonly accountId: AccountId;
  /* With the keys to offer: `keysToOffer(connectionKeysOf(connection))`. */
  readonly connection: Connection;
  /* A key that is not the pinned one may be taken for it. What lives on the old pin has to end first. */
  readonly acceptHostKey: boolean;
  /* Only this one, if it is given: the one that a person has seen. */
  readonly expectedFingerprint: string | undefined;
}

export interface HostTest {
  readonly result: 'ok' | 'failed' | 'timeout' | 'host_key_unknown' | 'host_key_changed';
  /* A sentence for a person. */
  readonly message: string;
  /* Why it failed, by evidence. */
  readonly cause?: string;
  readonly latencyMs?: number;
  /* The key that the host showed. */
  readonly offered?: HostPin;
  /* The offered key was taken for the host's, and is to be the pin. Also where the login failed after that. */
  readonly isAccepted?: boolean;
  /* Of a login: the key that signed it. */
  readonly keypairId?: string;
}

export interface HostChecks {
  probe(
    call: { readonly accountId: AccountId; readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<HostProbe>;
  test(call: HostTestCall, signal: AbortSignal): Promise<HostTest>;
}
