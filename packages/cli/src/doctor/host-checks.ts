/*
 * Checks of the host: what our promises lean on outside of our own files.
 */
import { formatBytes } from '../render/bytes.ts';
import { explainNoCgroup, findDelegatedCgroup } from '../runs/delegated-cgroup.ts';
import type { Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';

const nodeVersionMin = [24, 15] as const;
/* From it on a process can be held by a descriptor (pidfd_open), without which nothing may be signalled. */
const kernelVersionMin = [5, 3] as const;
/* Below this a single busy build can fill the disk before anyone looks. */
const freeBytesLow = 1024 ** 3;
/* The shim stops its largest runs at 256 MiB (J4). */
const freeBytesMin = 256 * 1024 ** 2;
/* A run takes a handful of inodes. */
const freeInodesLow = 1_000;

export function checkPlatform(facts: HostFacts): Finding {
  const check = 'platform';
  return facts.platform === 'linux'
    ? { check, status: 'ok', summary: 'Linux' }
    : {
        check,
        status: 'fail',
        summary: `${facts.platform} has no shim yet (S5)`,
        advice: 'Run it on Linux; macOS and Windows are prepared for, not done.',
      };
}

export function checkNode(facts: HostFacts): Finding {
  const check = 'node-version';
  const summary = `Node ${facts.nodeVersion}`;
  if (isAtLeast(facts.nodeVersion, nodeVersionMin)) return { check, status: 'ok', summary };
  return {
    check,
    status: 'fail',
    summary: `${summary} is too old`,
    advice: `Install Node ${nodeVersionMin.join('.')} or newer.`,
  };
}

export function checkKernel(facts: HostFacts): Finding {
  const check = 'kernel';
  const summary = `Linux ${facts.kernelRelease}`;
  if (isAtLeast(facts.kernelRelease, kernelVersionMin)) return { check, status: 'ok', summary };
  return {
    check,
    status: 'fail',
    summary: `${summary} is too old: runs cannot be ended safely`,
    advice: `Run it on Linux ${kernelVersionMin.join('.')} or newer.`,
  };
}

function isAtLeast(version: string, [majorMin, minorMin]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

/* Without a view of other processes nothing can be verified, so nothing would ever be signalled (O5). */
export function checkProc(facts: HostFacts): Finding {
  const check = 'proc';
  const mount = facts
    .readText('/proc/self/mounts')
    ?.split('\n')
    .find((line) => line.split(' ')[1] === '/proc');
  if (mount === undefined) {
    return {
      check,
      status: 'fail',
      summary: '/proc cannot be read',
      advice: 'Mount it: runs are verified by what the kernel says there.',
    };
  }
  const hidden = /\bhidepid=(\w+)/.exec(mount)?.[1];
  if (hidden !== undefined && hidden !== '0' && hidden !== 'off') {
    return {
      check,
      status: 'warn',
      summary: `/proc is mounted with hidepid=${hidden}: processes of other users are not visible`,
      advice: 'Runs as another user will show as unverifiable and be left alone.',
    };
  }
  return { check, status: 'ok', summary: '/proc shows all processes' };
}

/* E4: memory and process limits need a cgroup that is ours to divide. */
export function checkCgroup(facts: HostFacts): Finding {
  const check = 'cgroup';
  const found = findDelegatedCgroup(facts);
  if (found !== undefined) {
    return { check, status: 'ok', summary: `limits of memory and processes work, in ${found}` };
  }
  const { summary, advice } = explainNoCgroup(facts);
  return {
    check,
    status: 'info',
    summary,
    advice: `Only --limit-memory and --limit-processes need it. ${advice}`,
  };
}

/* E2: what systemd does to our runs when a session or a unit ends. Nothing to fail on. */
export function checkSystemd(facts: HostFacts): Finding[] {
  const isSystemd = facts.readText('/proc/1/comm')?.trim() === 'systemd';
  if (!isSystemd) {
    return [{ check: 'systemd', status: 'info', summary: 'not started by systemd' }];
  }
  const findings: Finding[] = [];
  const isLingering = facts.readText(`/var/lib/systemd/linger/${facts.userName}`) !== undefined;
  findings.push(
    isLingering
      ? { check: 'linger', status: 'ok', summary: 'runs may outlive the last logout' }
      : {
          check: 'linger',
          status: 'info',
          summary: 'systemd may end everything of this user at the last logout',
          advice: `If runs vanish then (KillUserProcesses=yes): loginctl enable-linger ${facts.userName}`,
        },
  );
  const unit = /\/([^/]+\.service)(?:\/|$)/m.exec(facts.readText('/proc/self/cgroup') ?? '')?.[1];
  if (unit !== undefined && !unit.startsWith('user@')) {
    findings.push({
      check: 'kill-mode',
      status: 'info',
      summary: `this process belongs to ${unit}: stopping it ends runs started from here`,
      advice: `Unless the unit has KillMode=process: systemctl show -p KillMode ${unit}`,
    });
  }
  return findings;
}

export async function checkDisk(facts: HostFacts, stateDir: string): Promise<Finding> {
  const check = 'disk';
  const free = await facts.freeSpace(stateDir);
  if (free === undefined) {
    return { check, status: 'info', summary: 'free space is not known (no state directory yet)' };
  }
  const summary = `${formatBytes(free.bytes)} free`;
  const { inodes = freeInodesLow } = free;
  if (inodes === 0 || (inodes < freeInodesLow && free.bytes >= freeBytesMin)) {
    return {
      check,
      status: 'fail',
      summary: `${summary}, but only ${inodes} inodes: nothing can be started without some`,
      advice: 'Each run needs a few files. Remove small files, or runs: clf gc, clf rm.',
    };
  }
  if (free.bytes < freeBytesMin) {
    return {
      check,
      status: 'fail',
      summary: `only ${summary}: runs with much output stand still until there is more (J4)`,
      advice: 'Free some space, or look at what clf gc --explain --dry-run would remove.',
    };
  }
  if (free.bytes < freeBytesLow) {
    return { check, status: 'warn', summary, advice: 'See clf gc --explain --dry-run.' };
  }
  if (free.isMemory) {
    return {
      check,
      status: 'warn',
      summary: `${summary}, in memory: runs and what they said are forgotten at the next boot (O6)`,
      advice: 'Keep the state on a disk: CLAWDFATHER_STATE_DIR or --state-dir.',
    };
  }
  return { check, status: 'ok', summary };
}
