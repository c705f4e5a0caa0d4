/**
 * What npm puts on the disk of a user: packs the packages, installs one of them in an empty folder as npm does by default, and measures
 * the folder. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packInto } from '../release/pack.js';
import { published, versionOf } from '../release/tree.js';
import { measureInTurns, measureWithin, REPORT } from './processor-time.js';

/**
 * @typedef {import('../check-size.js').Row} Row
 *
 * @typedef {object} Install
 * @property {string} name
 * @property {number} limitMb
 * @property {number} limitPackages
 * @property {string} [without] A package that its users have anyway.
 */

/** @type {readonly Install[]} */
const INSTALLS = [
  { name: 'hdrscope', limitMb: 60, limitPackages: 25 },
  { name: '@hdrscope/otel', limitMb: 6.1, limitPackages: 6, without: '@opentelemetry/api' },
];

/** Arguments of the command, and how many ms its process may take more than one that does nothing. */
const COMMANDS = /** @type {const} */ ([
  [['--version'], 60],
  [['--help'], 100],
]);
const ROUNDS = 7;

/** npm without a network, or without the package in its cache. */
const UNREACHABLE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

/**
 * @param {string} root Of the workspace.
 * @returns {Row[] | undefined} Nothing where npm cannot reach a registry, and has not all packages in its cache.
 * @throws Error when npm fails or warns of something.
 */
export function measureInstalls(root) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-installed-'));
  try {
    const files = packedFiles(root, packInto(root, join(folder, 'packages')));
    /** @type {Row[]} */
    const rows = [];
    for (const install of INSTALLS) {
      const project = join(folder, basename(install.name));
      if (!installInto(project, install.name, files)) return undefined;
      rows.push(...measureFolder(project, install));
    }
    return [...rows, ...COMMANDS.map(([args, limit]) => measureStart(join(folder, 'hdrscope'), args, limit))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {readonly string[]} tarballs
 * @returns {Record<string, string>} By the names of the packages.
 */
function packedFiles(root, tarballs) {
  const version = versionOf(root);
  return Object.fromEntries(
    published(root).map(({ name }) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
      return [name, `file:${tarballs.find((tarball) => basename(tarball) === file)}`];
    }),
  );
}

/**
 * @param {string} project
 * @param {string} name
 * @param {Record<string, string>} files
 * @returns {boolean} Whether npm has all packages.
 */
function installInto(project, name, { [name]: own, ...overrides }) {
  mkdirSync(project);
  const manifest = { private: true, dependencies: { [name]: own }, overrides };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0'];
  const { status, stderr } = spawnSync('npm', args, { cwd: project, encoding: 'utf8', timeout: 120_000 });
  if (status !== 0 && UNREACHABLE.test(stderr)) return false;
  // The settings of a machine are not the concern of a package.
  const warnings = stderr.split('\n').filter((line) => line !== '' && !/ Unknown \w+ config /.test(line));
  if (status !== 0 || warnings.length > 0)
    throw new Error(`npm install ${name} in an empty folder prints:\n${warnings.join('\n')}`);
  return true;
}

/**
 * @param {string} project
 * @param {Install} install
 * @returns {Row[]}
 */
function measureFolder(project, { name, limitMb, limitPackages, without }) {
  const modules = join(project, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const bytes = diskBytes(modules) - (without === undefined ? 0 : diskBytes(join(modules, without)));
  const title = `npm install ${name}${without === undefined ? '' : `, without ${without}`}`;
  return [
    { title, figure: bytes / 1e6, limit: limitMb, unit: 'MB' },
    {
      title: `${title}: packages`,
      figure: Object.keys(packages).length - (without === undefined ? 0 : 1),
      limit: limitPackages,
      unit: '',
    },
  ];
}

/**
 * The space that a folder takes on the disk. Small files take a whole block each.
 *
 * @param {string} path
 * @returns {number}
 */
function diskBytes(path) {
  const stats = lstatSync(path);
  const inside = stats.isDirectory() ? readdirSync(path) : [];
  return inside.reduce((sum, name) => sum + diskBytes(join(path, name)), stats.blocks * BLOCK_BYTES);
}

const BLOCK_BYTES = 512;

/**
 * The processor time that a command takes to start, beside a process that does nothing.
 *
 * @param {string} project
 * @param {readonly string[]} args
 * @param {number} limit
 * @returns {Row}
 */
function measureStart(project, args, limit) {
  const report = `data:text/javascript,${encodeURIComponent(`process.on('exit',()=>${REPORT})`)}`;
  const bin = join(project, 'node_modules/.bin/hdrscope');
  const figure = measureWithin(limit, () => {
    const [empty, started] = measureInTurns(
      ROUNDS,
      [['--import', report, '--eval', '0']],
      [['--import', report, bin, ...args]],
    );
    return started - empty;
  });
  return {
    title: `hdrscope ${args.join(' ')}, more than node -e 0`,
    figure,
    limit,
    unit: 'ms',
  };
}
