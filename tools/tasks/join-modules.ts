/*
 * Joins the modules of the command line and the gateway, or of another program.
 *
 * The files are split along `import()`, so that a short command loads only what it needs. They are CommonJS: Node loads
 * a file of that kind in a third of the time that a module takes, and a command loads twenty.
 */
import { join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

export interface Joined {
  readonly program: string;
  /* Where the bundle lies when it is used; a package of it is put together elsewhere. */
  readonly readFrom: string;
}

/* Returns the files that they were. */
export async function joinModules(
  root: string,
  directory: string,
  { program, readFrom }: Joined = {
    program: 'packages/cli/src/main.ts',
    readFrom: join(root, 'packages/cli/dist/bundle'),
  },
): Promise<readonly string[]> {
  const bundle = await rolldown({
    input: { main: join(root, program) },
    platform: 'node',
    resolve: {
      conditionNames: ['@clawdfather/source', 'node'],
      // What it offers to `require` hides its own files from whoever joins them; a bundle of it could read no config file.
      alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') },
    },
    transform: { target: 'node24' },
    plugins: [leaveOut(), keepPlaces(readFrom)],
    onLog: (level, log, say) => {
      // A command that another one uses as well is loaded with that one.
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') say(level, log);
    },
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Errors are told apart by their class names in logs.
    keepNames: true,
  });
  await bundle.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/*
 * Optional parts of `pg` and `ws` that these look for and do without. In the bundle they are said to be missing: Node would look for them in every
 * directory above it, and in ~/.node_modules, and run what anybody has put there.
 */
function leaveOut(): Plugin {
  const code = `throw Object.assign(new Error('left out'), { code: 'MODULE_NOT_FOUND' });\nexport {};`;
  return {
    name: 'leave-out',
    resolveId: {
      filter: { id: /^(?:pg-native|bufferutil|utf-8-validate)$/ },
      handler: (id) => `\0left-out:${id}`,
    },
    load: { filter: { id: /^\0left-out:/ }, handler: () => ({ code, moduleType: 'js' }) },
  };
}

/*
 * A module that looks for a file beside itself finds it from the bundle too: its `import.meta.url` stays the place of the source,
 * told from where the bundle is. So a checkout and what is installed have the same layout, and no file is looked for by the name
 * of a package, which is absent while `npm ci` runs.
 */
function keepPlaces(directory: string): Plugin {
  return {
    name: 'keep-places',
    transform: {
      filter: { id: /\/packages\/[^/]+\/src\//, code: 'import.meta.url' },
      handler: (code, id) => {
        const place = JSON.stringify(relative(directory, id));
        const url = `require('node:url').pathToFileURL(require('node:path').join(__dirname, ${place})).href`;
        return { code: code.replaceAll('import.meta.url', url), map: null };
      },
    },
  };
}
