/*
 * Which places a shield is about, as data. Paths below the home directory are relative; `ShieldDoor`s name what can be let in again.
 *
 * Hidden is what lets a command decide in a person's place or act outside of the shield: sockets of programs that run commands for
 * their users, and keys for signing in to this machine. Read-only is what a person's next login or shell runs.
 */
import { basename, dirname, join } from 'node:path';
import type { ShieldDoor } from './shield-settings.ts';

/* Beside the state directory, which is empty in a shield: copies of the files that go along with prompts, for agents to read. */
export function attachmentsDirOf(stateDir: string): string {
  return join(dirname(stateDir), `${basename(stateDir)}-attachments`);
}

export interface HiddenPlace {
  readonly path: string;
  readonly door?: ShieldDoor;
}

/*
 * /run is full of sockets of services, and new ones appear. So all of it is hidden, but for these: how names are resolved, disks
 * of people, and where some systems keep their programs.
 */
export const keptOfRun: readonly HiddenPlace[] = [
  { path: '/run/systemd/resolve' },
  { path: '/run/resolvconf' },
  { path: '/run/NetworkManager/resolv.conf' },
  { path: '/run/connman/resolv.conf' },
  { path: '/run/media' },
  { path: '/run/lock' },
  { path: '/run/shm' },
  { path: '/run/utmp' },
  { path: '/run/current-system' },
  { path: '/run/booted-system' },
  { path: '/run/opengl-driver' },
  { path: '/run/wrappers' },
  { path: '/run/docker.sock', door: 'docker' },
  { path: '/run/docker', door: 'docker' },
  { path: '/run/podman', door: 'podman' },
  { path: '/run/dbus', door: 'dbus' },
  { path: '/run/postgresql', door: 'postgresql' },
];

/* Everybody's, in which programs put sockets under names of their own choice. */
export const replacedDirectories: readonly string[] = ['/tmp', '/var/tmp'];

/* Of XDG_RUNTIME_DIR, in the place of which an empty directory is. */
export const doorsOfRuntime: readonly HiddenPlace[] = [
  { path: 'bus', door: 'dbus' },
  { path: 'gnupg', door: 'gpg' },
  { path: 'podman', door: 'podman' },
  { path: 'docker.sock', door: 'docker' },
];

/* Sockets of services outside of /run. */
export const hiddenOfSystem: readonly HiddenPlace[] = [
  { path: '/var/snap/lxd/common/lxd/unix.socket' },
  { path: '/var/lib/lxd/unix.socket' },
  { path: '/var/lib/incus/unix.socket' },
  { path: '/var/lib/docker.sock', door: 'docker' },
  { path: '/var/spool/cron' },
  { path: '/var/spool/at' },
];

export const hiddenOfHome: readonly HiddenPlace[] = [
  { path: '.ssh', door: 'ssh' },
  { path: '.gnupg', door: 'gpg' },
  { path: '.docker/run', door: 'docker' },
  { path: '.docker/desktop', door: 'docker' },
  { path: '.colima', door: 'docker' },
  { path: '.lima', door: 'docker' },
  { path: '.rd', door: 'docker' },
  { path: '.local/share/containers/podman', door: 'podman' },
  { path: '.1password' },
  { path: '.screen' },
];

export interface MadeDirectory {
  readonly path: string;
  /* Absent: it is made in any case. */
  readonly program?: string;
}

/* Made, empty, where they are missing: else a command could make them, and decide what is in them. */
export const madeDirectories: readonly MadeDirectory[] = [
  { path: '.ssh' },
  { path: '.gnupg', program: 'gpg' },
  { path: 'bin' },
  { path: '.local/bin' },
  { path: '.config/systemd' },
  { path: '.config/autostart' },
  { path: '.config/environment.d' },
  { path: '.config/git', program: 'git' },
  { path: '.config/fish', program: 'fish' },
  { path: '.config/containers', program: 'podman' },
  { path: '.config/plasma-workspace', program: 'plasmashell' },
  { path: '.local/share/systemd' },
  { path: '.local/share/dbus-1' },
  { path: '.local/share/bash-completion', program: 'bash' },
  { path: '.local/share/fish', program: 'fish' },
];

/* Of the home directory. Those that are missing and not made above are left alone. */
export const readOnlyOfHome: readonly string[] = [
  'bin',
  '.local/bin',
  '.config/systemd',
  '.config/autostart',
  '.config/environment.d',
  '.config/fish',
  '.config/plasma-workspace',
  '.config/git',
  // Containers that systemd starts.
  '.config/containers',
  // Both are looked into beside the directories of /usr and of .config.
  '.local/share/systemd',
  '.local/share/dbus-1',
  '.local/share/bash-completion',
  '.local/share/fish',
  '.pam_environment',
  '.xprofile',
  '.xsession',
  '.xsessionrc',
  '.xinitrc',
];

export interface StartupFile {
  readonly path: string;
  /* What reads it: it has to be there, for a missing file to be made. */
  readonly program: string;
  /* What it has to say to change nothing by being there. */
  readonly text: string;
}

const made = '# Empty, and made by Clawdfather: what is missing, an agent could make.\n';

/*
 * What a person's next shell reads, and a few more that name programs to run. A file that is missing is made, so that it can be made
 * read-only. bash reads only the first of .bash_profile, .bash_login and .profile, so what is made has to read the next one.
 */
export const startupFiles: readonly StartupFile[] = [
  { path: '.profile', program: 'sh', text: made },
  { path: '.bashrc', program: 'bash', text: made },
  { path: '.bash_aliases', program: 'bash', text: made },
  { path: '.bash_logout', program: 'bash', text: made },
  { path: '.bash_completion', program: 'bash', text: made },
  { path: '.config/bash_completion', program: 'bash', text: made },
  {
    path: '.bash_profile',
    program: 'bash',
    text: `# Made by Clawdfather: what is missing, an agent could make. It does what bash does without it.
if [ -r ~/.bash_login ]; then . ~/.bash_login; elif [ -r ~/.profile ]; then . ~/.profile; fi
`,
  },
  {
    path: '.bash_login',
    program: 'bash',
    text: `# Made by Clawdfather: what is missing, an agent could make. It does what bash does without it.
if [ -r ~/.profile ]; then . ~/.profile; fi
`,
  },
  { path: '.inputrc', program: 'bash', text: `${made}$include /etc/inputrc\n` },
  { path: '.zshenv', program: 'zsh', text: made },
  { path: '.zprofile', program: 'zsh', text: made },
  { path: '.zshrc', program: 'zsh', text: made },
  { path: '.zlogin', program: 'zsh', text: made },
  { path: '.zlogout', program: 'zsh', text: made },
  { path: '.kshrc', program: 'ksh', text: made },
  { path: '.mkshrc', program: 'mksh', text: made },
  { path: '.cshrc', program: 'csh', text: made },
  { path: '.tcshrc', program: 'tcsh', text: `${made}if (-r ~/.cshrc) source ~/.cshrc\n` },
  { path: '.login', program: 'csh', text: made },
  { path: '.logout', program: 'csh', text: made },
  // Both name programs to run, and npm is one way to start us.
  { path: '.gitconfig', program: 'git', text: made },
  { path: '.npmrc', program: 'npm', text: made },
  // A mail that a command sends to its own user would run what they name.
  { path: '.forward', program: 'sendmail', text: made },
  { path: '.procmailrc', program: 'procmail', text: made },
];

/*
 * For root, whom files belong to, nearly everything is a way out: programs, services, the kernel's own settings, disks. So all files
 * are read-only but for these, and of the devices only these are there.
 */
export const keptForRoot: readonly string[] = ['/proc', '/dev/shm', '/dev/mqueue'];

/* By these a user freezes and ends processes that no signal reaches, where systemd has handed some over. */
export const controlGroups = '/sys/fs/cgroup';

export const readOnlyForRoot: readonly string[] = [
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
  '/proc/fs',
  '/proc/acpi',
  '/proc/scsi',
];

export const devicesForRoot: readonly string[] = [
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
  '/dev/shm',
  '/dev/mqueue',
  '/dev/fuse',
  '/dev/net/tun',
];

export const deviceLinks: readonly (readonly [path: string, target: string])[] = [
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/ptmx', 'pts/ptmx'],
];
