/**
 * What keeps npm from signing where a package was built. npm compares the `repository` of a package with the repository of the workflow,
 * which needs the right to ask for an identity: https://docs.npmjs.com/generating-provenance-statements
 *
 * @typedef {object} PublishedManifest The package.json of a package, as it is packed.
 * @property {string} name
 * @property {{ url?: string, directory?: string }} [repository]
 * @property {{ access?: string }} [publishConfig]
 *
 * @param {readonly { path: string, manifest: PublishedManifest }[]} packages With their folders in the repository.
 * @param {string} workflow The text of a workflow, whose job `publish` publishes.
 * @returns {string[]}
 */
export function provenanceProblems(packages, workflow) {
  const problems = packages.flatMap(({ path, manifest: { name, repository, publishConfig } }) => [
    ...(repository?.url === REPOSITORY ? [] : [`${name}: repository.url must be ${REPOSITORY}`]),
    ...(repository?.directory === path ? [] : [`${name}: repository.directory must be ${path}`]),
    ...(publishConfig?.access === 'public' ? [] : [`${name}: publishConfig.access must be public`]),
  ]);
  const [job = ''] = /^ {2}publish:\n(?: {4}.*\n|\n)*/m.exec(workflow) ?? [];
  for (const [pattern, wanted] of WORKFLOW)
    if (!pattern.test(job)) problems.push(`the job publish of the workflow must have '${wanted}'`);
  return problems;
}

const REPOSITORY = 'git+https://github.com/hdrscope/hdrscope.git';

/** @type {readonly [pattern: RegExp, wanted: string][]} */
const WORKFLOW = [
  [/^ +id-token: write$/m, 'id-token: write'],
  // Only machines of GitHub can sign.
  [/^ +runs-on: ubuntu-latest$/m, 'runs-on: ubuntu-latest'],
  [/npm publish .*--provenance\b/, 'npm publish --provenance'],
];
