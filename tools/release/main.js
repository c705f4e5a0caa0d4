/**
 * `npm run release`: makes a release from the files of `.changeset`. It raises the version of all packages, writes the changelog, builds,
 * packs and checks the packages, publishes them to a registry on this machine, installs them from there into an empty project, and uses
 * them as the README and other users do. When all of that works, it commits the release and tags it. The tarballs, their hashes and a list
 * of all components (SBOM) are in `release/VERSION`. It publishes nothing elsewhere: .github/workflows/release.yml does that.
 *
 *   --rehearse   does all of it in a clone of the latest commit, and leaves nothing but what it prints
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../lib/workspace.js';
import { run } from '../peers/run.js';
import { parseChange, releasedChangelog } from './changelog.js';
import { useInChromium } from './chromium-use.js';
import { CleanProject } from './clean-project.js';
import { LocalRegistry } from './local-registry.js';
import { packInto } from './pack.js';
import { provenanceProblems } from './provenance.js';
import { assertClean, git, published, rewrite, versionOf } from './tree.js';
import { writeVersion } from './version-places.js';

const start = performance.now();

/** @param {string} text */
function say(text) {
  console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${text}`);
}

/** @param {string} root */
function changesOf(root) {
  const folder = join(root, '.changeset');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => parseChange(name, readFileSync(join(folder, name), 'utf8')));
}

/** @param {string} root */
function isFirstRelease(root) {
  return git(root, 'tag', '--list', 'v*') === '';
}

/**
 * Raises the versions, and writes the changelog. The first release has the version that the packages have.
 *
 * @param {string} root
 * @returns {string} The version.
 */
function raiseVersion(root) {
  const changes = changesOf(root);
  const isFirst = isFirstRelease(root);
  if (isFirst && changes.length > 0)
    throw new Error('the first release has no version before it: remove the files of .changeset');
  if (!isFirst) {
    if (changes.length === 0) throw new Error('no change waits for a release: npm run changeset');
    run('npm', ['run', '--silent', 'changeset', 'version'], { cwd: root, limitSeconds: 180 });
    writeVersion(root, versionOf(root));
    run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      limitSeconds: 300,
    });
  }
  const version = versionOf(root);
  const date = new Date().toISOString().slice(0, '2026-11-23'.length);
  rewrite(join(root, 'CHANGELOG.md'), (text) => releasedChangelog(text, { version, date, changes }));
  return version;
}

/**
 * Publishes to a registry on this machine, and uses the packages from there.
 *
 * @param {string} root
 * @param {{ version: string, tarballs: string[], folder: string }} release
 * @throws Error when something does not work.
 */
async function tryPackages(root, { version, tarballs, folder }) {
  const registry = await LocalRegistry.start();
  const project = new CleanProject(registry.npmrc);
  try {
    for (const tarball of tarballs) registry.publish(tarball);
    say(`${tarballs.length} packages are in a local registry`);
    project.installAll(published(root).map(({ name }) => name));
    const sbom = project.sbom();
    writeFileSync(join(folder, 'sbom.cdx.json'), sbom);
    const problems = project.licenceProblems(sbom);
    if (problems.length > 0) throw new Error(`licences:\n${problems.join('\n')}`);
    say(
      `an empty project has installed them; all of its ${JSON.parse(sbom).components.length} components have allowed licences`,
    );
    project.runReadme(readFileSync(join(root, 'README.md'), 'utf8'));
    project.copyExamples(join(root, 'examples'));
    const printed = project.command('--version').trim();
    if (printed !== version) throw new Error(`hdrscope --version prints ${printed} instead of ${version}`);
    project.command('log', 'summary', 'examples/data/incident.hlog');
    say('the example of the README and the command work there');
    project.installTools();
    say(`${project.runExamples(root)} examples of the documents are true there`);
    const uses = [...project.use(), { name: 'chromium', problem: await useInChromium(project.folder) }];
    for (const { name, problem } of uses) say(`${name}: ${problem ?? 'ok'}`);
    const failed = uses.filter(({ problem }) => problem !== undefined);
    if (failed.length > 0)
      throw new Error(`${failed.map(({ name }) => name).join(', ')} cannot use the packages`);
  } finally {
    project.remove();
    await registry.close();
  }
}

/** @param {string} root */
async function release(root) {
  assertClean(root);
  const version = raiseVersion(root);
  say(`version ${version}`);
  run('npm', ['run', '--silent', 'build'], { cwd: root, limitSeconds: 600 });
  run(process.execPath, ['tools/check-packaging.js'], { cwd: root, limitSeconds: 600 });
  run(process.execPath, ['tools/check-install-scripts.js'], { cwd: root, limitSeconds: 300 });
  say('built; publint and attw accept every package');
  const folder = join(root, 'release', version);
  const tarballs = packInto(root, folder);
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  const unsigned = provenanceProblems(published(root), workflow);
  if (unsigned.length > 0) throw new Error(`npm could not sign the packages:\n${unsigned.join('\n')}`);
  say('packed; npm can sign where they were built');
  await tryPackages(root, { version, tarballs, folder });
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '-m', `release: ${version}`);
  git(root, 'tag', '-a', `v${version}`, '-m', `hdrscope ${version}`);
  say(`committed and tagged v${version}; the packages are in release/${version}`);
}

async function rehearse() {
  const clone = mkdtempSync(join(tmpdir(), 'hdrscope-release-'));
  try {
    git(workspaceRoot, 'clone', '--quiet', workspaceRoot, clone);
    git(clone, 'config', 'user.name', 'rehearsal');
    git(clone, 'config', 'user.email', 'rehearsal@localhost');
    if (!isFirstRelease(clone) && changesOf(clone).length === 0) {
      writeFileSync(join(clone, '.changeset/rehearsal.md'), '---\n"hdrscope": patch\n---\n\nA rehearsal.\n');
      git(clone, 'add', '.changeset');
      git(clone, 'commit', '--quiet', '-m', 'test: a change');
    }
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: clone, limitSeconds: 600 });
    say('a clone has its dependencies');
    await release(clone);
  } finally {
    if (existsSync(clone)) rmSync(clone, { recursive: true, force: true });
  }
}

try {
  await (process.argv.includes('--rehearse') ? rehearse() : release(workspaceRoot));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
