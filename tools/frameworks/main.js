/**
 * `npm run frameworks`: runs a real service of each framework in each module system under `@hdrscope/otel/register`, asks for a few
 * items, and looks whether its page of metrics has their routes. Without the package that gives the routes, it looks for the sentence
 * that names the cure.
 */
import { execFileSync } from 'node:child_process';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { FrameworkApplication, packagesOf } from './application.js';
import { SUBJECTS } from './subjects.js';

/** @import { Modules, Subject } from './subjects.js' */

/** How most of the warnings begin. */
const NO_ROUTE = 'requests come without http.route: ';

const options = readOptions('npm run frameworks --', {
  node: { text: 'PATHS', help: 'each Node.js to try, with commas between them', default: process.execPath },
  only: { text: 'TEXT', help: 'frameworks whose names have this text' },
  write: { flag: 'puts the table into packages/otel/README.md' },
});

await runTool(main);

async function main() {
  for (const peer of ['frameworks', 'frameworks-previous'])
    if (packagesOf(peer) === undefined) throw new Error(`node tools/peers/install.js ${peer}`);
  const versions = options.node.split(',').map((path) => ({
    path,
    version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1),
  }));
  const subjects = SUBJECTS.filter(({ name }) => name.toLowerCase().includes(options.only.toLowerCase()));
  const rows = [
    [
      'framework',
      'module systems',
      ...versions.map(({ version }) => `Node.js ${version}`),
      'the warning without it',
    ],
    ['---', '---', ...versions.map(() => '---'), '---'],
  ];
  for (const subject of subjects) {
    const application = new FrameworkApplication(subject);
    try {
      const { path } = /** @type {{ path: string }} */ (versions[0]);
      const [first = 'CommonJS'] = subject.modules;
      const { warnings } = await application.run(path, first, false);
      const sentence = warnings.length === 0 ? 'no warning' : warnings.join('; ').replace(NO_ROUTE, '');
      const results = [];
      for (const version of versions) results.push(await tryModules(application, subject, version.path));
      rows.push([subject.name, subject.modules.join(', '), ...results, sentence.replaceAll('|', '\\|')]);
      console.log(rows.at(-1)?.join(' | '));
    } finally {
      application.remove();
    }
  }
  const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  console.log(`\n${table}`);
  if (options.write) fillMarkers('packages/otel/README.md', 'frameworks', table);
}

/**
 * @param {FrameworkApplication} application
 * @param {Subject} subject
 * @param {string} node
 */
async function tryModules(application, { modules }, node) {
  /** @type {string[]} */
  const failures = [];
  for (const one of modules) {
    const { isFound, warnings } = await application.run(node, one, true);
    if (!isFound) failures.push([one, ...warnings].join(': '));
  }
  return failures.length === 0 ? 'yes' : `no: ${failures.join('; ')}`;
}
