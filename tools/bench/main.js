/**
 * `npm run bench`: builds the packages, measures every case, and prints the costs and whether the promises hold.
 * `docs/benchmarks.md` describes the method.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { buildPackages } from '../lib/build-packages.js';
import { readOptions, runTool } from '../lib/options.js';
import { clientVersion } from './clients.js';
import { sdkVersions } from './open-telemetry.js';
import { runGroup } from './runner.js';
import { compare, isOurs, markdownTable, textTable } from './table.js';
import { targets } from './targets.js';

/** @import { Effort, Group, GroupResult } from './types.js' */

const options = readOptions('npm run bench --', {
  filter: { text: 'TEXT', help: 'only groups whose id contains TEXT' },
  quick: { flag: 'fewer and shorter samples: for a first look, not for publishing' },
  markdown: { flag: 'the table as Markdown' },
  json: { text: 'FILE', help: 'all samples and the facts of the machine' },
  'no-build': { flag: 'measure the packages as they were built last' },
  list: { flag: 'the groups and their cases' },
});

/** The packages that are built before the measurement, together with their dependencies. */
const MEASURED = [
  '@hdrscope/ceph',
  '@hdrscope/history',
  '@hdrscope/otel',
  '@hdrscope/prometheus',
  'hdrscope',
];

/** @type {Effort} */
const thorough = { rounds: 41, amounts: 3, groupMs: 5000, sampleMs: 12, warmUpMs: 300 };
/** @type {Effort} */
const quick = { rounds: 9, amounts: 1, groupMs: 5000, sampleMs: 6, warmUpMs: 60 };

const require = createRequire(import.meta.url);

await runTool(main);

async function main() {
  const groups = (await allGroups()).filter(({ group }) => matches(group, options.filter));
  if (groups.length === 0) throw new Error(`no group matches "${options.filter}"; --list shows them`);
  if (options.list) return list(groups.map(({ group }) => group));
  if (!options['no-build']) buildPackages(MEASURED);

  const facts = machineFacts();
  console.log(heading(facts));
  const effort = options.quick ? quick : thorough;
  /** @type {GroupResult[]} */
  const results = [];
  for (const { group, file } of groups) {
    progress(`${group.id} …`);
    const result = await runGroup(group, file, effort);
    progress('');
    results.push(result);
    console.log(`\n${(options.markdown ? markdownTable : textTable)(result, compare(result, targets))}`);
  }
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify(report(facts, effort, results), null, 2)}\n`);
  conclude(results);
}

/** @returns {Promise<{ group: Group, file: string }[]>} */
async function allGroups() {
  const folder = new URL('./cases/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const found = await Promise.all(
    files.map(async (name) => {
      const file = new URL(name, folder).href;
      /** @type {{ default: readonly Group[] }} */
      const { default: groups } = await import(file);
      return groups.map((group) => ({ group, file }));
    }),
  );
  return found.flat();
}

/**
 * @param {Group} group
 * @param {string} filter
 */
function matches({ id }, filter) {
  return id.includes(filter);
}

/** @param {readonly Group[]} groups */
function list(groups) {
  for (const { id, title, cases } of groups) {
    console.log(`${id}: ${title}`);
    for (const name of Object.keys(cases)) console.log(`  ${name}`);
  }
}

/** Facts about the machine, without names, because the report is published. */
function machineFacts() {
  const { node, v8 } = process.versions;
  const { platform, arch } = process;
  return {
    node,
    v8,
    platform,
    arch,
    cpu: (cpus()[0]?.model ?? 'unknown').trim(),
    cores: availableParallelism(),
    peers: [
      `hdr-histogram-js ${require('hdr-histogram-js/package.json').version}`,
      `@opentelemetry/sdk-metrics ${sdkVersions()}`,
      clientVersion('prom-client'),
      clientVersion('@prometheus-io/client'),
    ],
  };
}

/** @param {ReturnType<typeof machineFacts>} facts */
function heading({ node, v8, platform, arch, cpu, cores, peers }) {
  return `Node.js ${node} (V8 ${v8}), ${platform} ${arch}, ${cpu}, ${cores} cores\n${peers.join(', ')}`;
}

/**
 * @param {ReturnType<typeof machineFacts>} facts
 * @param {Effort} effort
 * @param {readonly GroupResult[]} results
 */
function report(facts, effort, results) {
  return {
    machine: facts,
    effort,
    groups: results.map((group) => ({ ...group, comparisons: compare(group, targets) })),
  };
}

/**
 * Counts the promises. A missed promise is a result; a case of ours that did not run is a failure.
 *
 * @param {readonly GroupResult[]} results
 */
function conclude(results) {
  const judged = results.flatMap((group) => compare(group, targets)).filter(({ met }) => met !== undefined);
  const met = judged.filter((one) => one.met).length;
  console.log(`\n${met} of ${judged.length} targets met.`);
  const broken = results.flatMap(({ cases }) => cases.filter((one) => isOurs(one) && one.missing));
  if (broken.length > 0) process.exitCode = 1;
}

/** @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
