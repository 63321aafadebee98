/*
 * Every cause for which a connection to a host does not come about or ends, in one table: where it happened, a sentence for people,
 * and what they can do. docs/ssh.md shows the same table; a test compares the two.
 */

interface CauseEntry {
  /* The stage at which it shows; `local` is this machine, at any stage. */
  readonly stage: 'local' | 'resolve' | 'dial' | 'key-exchange' | 'host-key' | 'login' | 'live';
  readonly sentence: string;
  readonly hint: string;
  /* The host saw a login fail. Since OpenSSH 9.8 it may then refuse us for a while, so the next try waits. */
  readonly isFailedLogin?: true;
  /* Nothing was refused: the host may answer a later try without anybody mending something. */
  readonly mayPass?: true;
}

export const masterCauses = {
  dns: {
    stage: 'resolve',
    sentence: 'The name of the host could not be resolved.',
    hint: 'Check the name, and the resolver of the machine that the gateway runs on.',
    mayPass: true,
  },
  'address-forbidden': {
    stage: 'resolve',
    sentence: 'The host has an address that this connection may not reach.',
    hint: 'Use the address of a host of your own; loopback is for the owner of the machine only, the gateway’s own port for nobody.',
  },
  refused: {
    stage: 'dial',
    sentence: 'The host refused the connection: nothing listens on that port.',
    hint: 'Check the port, and that sshd runs on the host.',
    mayPass: true,
  },
  timeout: {
    stage: 'dial',
    sentence: 'The host did not answer in time.',
    hint: 'Check that the host is up and that no firewall drops the connection.',
    mayPass: true,
  },
  'no-route': {
    stage: 'dial',
    sentence: 'There is no way to the host from this machine.',
    hint: 'Check the network or the VPN of the machine that the gateway runs on.',
    mayPass: true,
  },
  'dial-failed': {
    stage: 'dial',
    sentence: 'The connection to the host could not be made.',
    hint: 'The error of the system is in the log of the gateway.',
    mayPass: true,
  },
  'silent-server': {
    stage: 'key-exchange',
    sentence: 'Something accepted the connection and then said nothing, or stopped in the middle.',
    hint: 'Check that sshd is behind this port; a host that is overloaded looks the same.',
    mayPass: true,
  },
  'closed-early': {
    stage: 'key-exchange',
    sentence: 'The connection was closed before the host had shown its key.',
    hint: 'It is no SSH server, shares no algorithm with us, or turns us away: its log says which.',
    mayPass: true,
  },
  'penalty-suspected': {
    stage: 'key-exchange',
    sentence: 'The host closed the connection at once, soon after logins that failed.',
    hint: 'It may be turning this machine away for a while: mend the login, then wait some minutes.',
  },
  'host-key-unknown': {
    stage: 'host-key',
    sentence: 'The key of the host is not known yet.',
    hint: 'Compare the fingerprint with the one on the host, then accept it.',
  },
  'host-key-changed': {
    stage: 'host-key',
    sentence: 'The host shows another key than the one that was accepted.',
    hint: 'Find out why before you accept it: it may be another machine.',
  },
  'host-key-unusable': {
    stage: 'host-key',
    sentence: 'The host shows a key of a kind that is not accepted.',
    hint: 'Give the host an ed25519 key, or an RSA key of 2048 bits or more.',
  },
  'pin-unreadable': {
    stage: 'local',
    sentence: 'The accepted key of the host could not be read on the gateway’s machine.',
    hint: 'Its disk may be full or damaged; nothing was sent to the host.',
  },
  'closed-before-login': {
    stage: 'login',
    sentence: 'The host closed the connection before a key was offered.',
    hint: 'The log of sshd on the host says why; it may forbid login by key.',
  },
  'key-not-installed': {
    stage: 'login',
    sentence: 'The host does not accept the key for this user.',
    hint: 'Run the install command of the key on the host, as that user. If the key is there, its line may let other addresses in only.',
    isFailedLogin: true,
  },
  'refused-after-signature': {
    stage: 'login',
    sentence: 'The host knew the key and refused the login all the same.',
    hint: 'The account may be expired or locked, or need a second factor.',
    isFailedLogin: true,
  },
  'login-stalled': {
    stage: 'login',
    sentence: 'The login did not end in time.',
    hint: 'The host may wait for a directory server or a slow disk; try again.',
    mayPass: true,
  },
  'signer-refused': {
    stage: 'login',
    sentence: 'The gateway refused to sign: what it was asked for was not this login.',
    hint: 'The log of the gateway has the reason; a key that was revoked is one.',
    isFailedLogin: true,
  },
  'signer-gone': {
    stage: 'login',
    sentence: 'The part of the gateway that holds the key was not there.',
    hint: 'The gateway was restarted during the login; try again.',
    isFailedLogin: true,
    mayPass: true,
  },
  'max-sessions': {
    stage: 'live',
    sentence: 'The host lets us in, and gives no session for a command on the connection.',
    hint: 'Set MaxSessions to 3 or more in its sshd_config (10 is usual): one session is for the ping, one for ending commands.',
  },
  'restricted-shell': {
    stage: 'live',
    sentence: 'The host lets us in, and the login shell there runs no commands.',
    hint: 'Give the user an ordinary shell (chsh -s /bin/sh USER), or take away the forced command in its authorized_keys.',
  },
  keepalive: {
    stage: 'live',
    sentence: 'The host was silent for 90 seconds.',
    hint: 'The network or the host is down; a new session starts once it is back.',
    mayPass: true,
  },
  'host-closed': {
    stage: 'live',
    sentence: 'The connection to the host ended.',
    hint: 'The host was restarted, sshd closed it, or the network gave up; start a new session.',
    mayPass: true,
  },
  'master-killed': {
    stage: 'local',
    sentence: 'The ssh process on the gateway’s machine was killed.',
    hint: 'Look for what ended it there, such as a lack of memory; start a new session.',
    mayPass: true,
  },
  'master-lost': {
    stage: 'local',
    sentence: 'The ssh process on the gateway’s machine is gone, and how it ended is not known.',
    hint: 'That machine was restarted, or its processes were swept; start a new session.',
    mayPass: true,
  },
  'local-limit': {
    stage: 'local',
    sentence: 'The gateway’s machine has run out of something that a connection needs.',
    hint: 'Look at its memory, its disk, and its limits of processes and open files.',
    mayPass: true,
  },
  'ssh-unusable': {
    stage: 'local',
    sentence: 'The ssh program of the gateway’s machine could not be started.',
    hint: 'Install OpenSSH 8.9 or newer there; clf doctor looks at it.',
  },
  closed: {
    stage: 'live',
    sentence: 'It was closed on request.',
    hint: 'Start a new session when you need it.',
  },
  'pin-changed': {
    stage: 'live',
    sentence: 'It was ended because another key was accepted for the host.',
    hint: 'Start a new session: it is made with the new key of the host.',
  },
  'key-revoked': {
    stage: 'live',
    sentence: 'It was ended because its key was revoked.',
    hint: 'Give the connection another key.',
  },
} as const satisfies Readonly<Record<string, CauseEntry>>;

export type MasterCause = keyof typeof masterCauses;

export function isFailedLogin(cause: MasterCause): boolean {
  const entry: CauseEntry = masterCauses[cause];
  return entry.isFailedLogin === true;
}

/* Of a cause as records have it; unknown ones do not pass. */
export function mayPass(cause: string): boolean {
  const entry: CauseEntry | undefined = Object.hasOwn(masterCauses, cause)
    ? masterCauses[cause as MasterCause]
    : undefined;
  return entry?.mayPass === true;
}
