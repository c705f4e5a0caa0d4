/**
 * Makes the command one file that needs no Node.js, with its pages of the manual and the completions of its shells: `npm run executable`.
 *
 * Node.js itself makes it (https://nodejs.org/api/single-executable-applications.html), for the platform of the binary that is given. The
 * folder is laid out as a prefix: its content may be copied to `/usr/local`.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { formatNotices } from '../lib/notices.js';
import { readOptions, runTool } from '../lib/options.js';
import { isMain, workspaceRoot } from '../lib/workspace.js';
import { PEERS, programOf } from '../peers/peers.js';
import { run } from '../peers/run.js';
import { bundleBoot, bundleParts, PACKAGE_FILES } from './bundle.js';
import { formatManual } from './manual.js';

const OUTPUT = join(workspaceRoot, '.executable');

/**
 * Writes the executable and what belongs to it into a folder.
 *
 * @param {string} prefix
 * @param {string} [node] The folder of a package of npm with a binary of Node.js 26.
 * @returns {Promise<{ program: string, node: string, contained: import('./bundle.js').Package[] }>} The executable, the folder of its Node.js, and
 *   the packages of others in it.
 */
export async function makeExecutable(prefix, node = findNode()) {
  const work = mkdtempSync(join(tmpdir(), 'hdrscope-executable-'));
  try {
    const { parts, notices, contained } = await bundleParts();
    for (const { name, text } of parts) write(join(work, name), text);
    for (const name of PACKAGE_FILES) copy(join(workspaceRoot, name), join(work, name));
    write(join(work, 'boot.cjs'), await bundleBoot());
    const program = join(prefix, 'bin/hdrscope');
    buildProgram(join(node, 'bin/node'), work, parts, program);
    await writeCompanions(prefix, program);
    const doc = join(prefix, 'share/doc/hdrscope');
    copy(join(node, 'LICENSE'), join(doc, 'LICENSE.nodejs'));
    copy(join(workspaceRoot, 'packages/cli/LICENSE'), join(doc, 'LICENSE'));
    write(join(doc, 'THIRD-PARTY.txt'), formatNotices([notices]));
    return { program, node, contained };
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The folder of the package with Node.js for this machine. */
function findNode() {
  const peer = PEERS.find(({ name }) => name === 'node-26');
  const packages = peer && programOf(peer);
  const folder = packages && join(packages, `node-${process.platform}-${process.arch}`);
  if (folder !== undefined && existsSync(folder)) return folder;
  throw new Error(
    `there is no Node.js for ${process.platform} on ${process.arch}: node tools/peers/install.js node-26`,
  );
}

/**
 * @param {string} node The binary. The executable is a copy of it, so the code that it compiles fits.
 * @param {string} work The folder with all that the executable contains.
 * @param {readonly { name: string }[]} parts
 * @param {string} program
 */
function buildProgram(node, work, parts, program) {
  const options = { cwd: work, limitSeconds: LIMIT_SECONDS };
  run(node, [...REPRODUCIBLE, join(import.meta.dirname, 'compile.js'), 'parts'], options);
  copyFileSync(node, join(work, 'node'));
  // It comes with its symbols, which are a fifth of it.
  run('strip', ['node'], options);
  const contained = [...parts.flatMap(({ name }) => [name, `${name}.cache`]), ...PACKAGE_FILES].sort();
  const description = {
    main: 'boot.cjs',
    executable: 'node',
    output: program,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: START_OPTIONS,
    assets: Object.fromEntries(contained.map((name) => [name, name])),
  };
  write(join(work, 'sea.json'), JSON.stringify(description));
  mkdirSync(dirname(program), { recursive: true });
  run(node, [...REPRODUCIBLE, '--build-sea', 'sea.json'], options);
}

/**
 * Compiled code fills the new space of V8, which by default is so small that it is collected, and made larger, several times before a command
 * begins. This is a tenth of the start of `log summary`.
 */
const START_OPTIONS = ['--min-semi-space-size=8'];

/**
 * Two builds are equal to the byte. V8 then compiles in one order, and no collection of garbage leaves bytes where objects have padding.
 * Neither option keeps an executable without them from taking the code.
 */
const REPRODUCIBLE = ['--predictable', '--min-semi-space-size=256', '--max-semi-space-size=256'];

const LIMIT_SECONDS = 120;

/**
 * Writes the completions of shells, and the pages of the manual.
 *
 * @param {string} prefix
 * @param {string} program
 */
async function writeCompanions(prefix, program) {
  for (const [shell, file] of Object.entries(COMPLETIONS)) {
    write(join(prefix, 'share', file), run(program, ['completion', shell], { limitSeconds: LIMIT_SECONDS }));
  }
  for (const { name, text } of await formatManual()) write(join(prefix, 'share/man/man1', name), text);
}

/** Where shells look for completions by themselves. */
const COMPLETIONS = {
  bash: 'bash-completion/completions/hdrscope',
  zsh: 'zsh/site-functions/_hdrscope',
  fish: 'fish/vendor_completions.d/hdrscope.fish',
};

/**
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * @param {string} from
 * @param {string} to
 */
function copy(from, to) {
  if (!existsSync(from)) throw new Error(`there is no ${from}: npm run build`);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

if (isMain(import.meta)) {
  await runTool(async () => {
    const { out } = readOptions('npm run executable --', {
      out: { text: 'FOLDER', help: 'where the executable is written, as under a prefix', default: OUTPUT },
    });
    const { program } = await makeExecutable(resolve(out));
    console.log(program);
  });
}
