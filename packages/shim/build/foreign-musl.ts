/*
 * The C library musl for another kind of machine, from Debian's package for it.
 *
 * The package is fetched with apt's own sources and keys, and unpacked into a directory of ours. Installing it would mean to make
 * the other kind of machine one of this system's own (`dpkg --add-architecture`), and from then on every `apt update` of the user
 * would fetch its lists too. With lists and cache of our own nothing of the system changes, and it works without root.
 *
 * Stages: make apt's directories → fetch the lists → fetch the package → unpack → write the compiler's specs with our paths.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './targets.ts';

/* The path of the specs for gcc; undefined when apt cannot bring the package, which has been told then. */
export function openForeignMusl(target: Target, cachePath: string): string | undefined {
  const home = join(cachePath, `musl-${target.arch}`);
  const specsPath = join(home, 'musl-gcc.specs');
  if (existsSync(specsPath)) return specsPath;
  const draft = `${home}.${process.pid}`;
  try {
    if (!unpackPackage(target, draft)) return undefined;
    writeSpecs(target, { from: draft, to: home });
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
    return specsPath;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function unpackPackage({ debianArch }: Target, draft: string): boolean {
  const fetched = join(draft, 'fetched');
  for (const name of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(fetched, name), { recursive: true });
  }
  const settings = {
    'APT::Architecture': debianArch,
    'APT::Architectures': debianArch,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Dir::Cache': join(fetched, 'cache'),
    'Dir::State': join(fetched, 'state'),
    'Dir::State::status': '/dev/null',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...words: readonly string[]): boolean =>
    run('apt-get', ['-qq', ...options, ...words], fetched);
  process.stdout.write(`fetching musl for ${debianArch}\n`);
  if (!apt('update') || !apt('download', 'musl-dev')) return false;
  const [file] = globSync('*.deb', { cwd: fetched });
  if (file === undefined || !run('dpkg', ['-x', file, draft], fetched)) return false;
  rmSync(fetched, { recursive: true });
  return true;
}

/* They name everything from the root on. */
function writeSpecs({ cpu }: Target, { from, to }: { readonly from: string; readonly to: string }) {
  const specs = readFileSync(join(from, 'usr/lib', `${cpu}-linux-musl`, 'musl-gcc.specs'), 'utf8');
  writeFileSync(
    join(from, 'musl-gcc.specs'),
    specs.replaceAll(' /usr/', ` ${to}/usr/`).replaceAll('-L/usr/', `-L${to}/usr/`),
  );
}

function run(command: string, args: readonly string[], cwd: string): boolean {
  const { status, error } = spawnSync(command, [...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (error !== undefined) process.stderr.write(`${command}: ${error.message}\n`);
  return status === 0;
}
