import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUnless, lackOfBuild, lackOfProgram } from '@hdrscope/testing';
import { freePort } from '@hdrscope/testing/free-port';
import { parse } from 'yaml';
import { workspaceRoot } from '../lib/workspace.js';

const HDRSCOPE = `${process.execPath} ${join(workspaceRoot, 'packages/cli/bin/hdrscope.js')}`;
const OPTIONS = '--unit ms --percentiles 50 --warm-ups 0';

let folder: string;
let load: (ms: number) => string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-ci-'));
  const script = join(folder, 'load.mjs');
  writeFileSync(
    script,
    `const speed = 1 + 0.004 * Math.random();
    for (let i = 0; i < 300; i++) console.log((process.argv[2] * speed * (0.8 + (0.4 * i) / 300)).toFixed(4));`,
  );
  load = (ms) => `node '${script}' ${ms}`;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script as a runner of CI does. */
function run(shell: string, script: string, environment: Readonly<Record<string, string>>) {
  const args =
    shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script] : ['-ec', script];
  const { status, stderr } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  return { status, stderr };
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const example = (name: string) => parse(readFileSync(join(workspaceRoot, name), 'utf8'));

describeUnless(lackOfProgram('sh'), lackOfProgram('curl'))('the load test', () => {
  const ROOT = join(workspaceRoot, 'examples/ci');

  test('prints the time of each request, and ends the service that it has started', async () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    for (const name of ['load.sh', 'load.mjs']) copyFileSync(join(ROOT, name), join(project, name));
    symlinkSync(join(workspaceRoot, 'node_modules'), join(project, 'node_modules'), 'junction');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const file = join(project, 'run.txt');
    // The first request asks whether it is ready.
    const serve = (status: number): string => `let asked = 0;
      const answer = (_, response) => response.writeHead(asked++ === 0 ? 200 : ${status}).end();
      require('node:http').createServer(answer).listen(${port}, '127.0.0.1');`;
    for (const status of [200, 500]) {
      writeFileSync(join(project, 'server.js'), serve(status));
      const ran = spawnSync('sh', ['load.sh'], {
        cwd: project,
        encoding: 'utf8',
        env: { ...process.env, URL: url, RATE: '100', SECONDS_LONG: '2', HDRSCOPE_RUN_FILE: file },
      });
      if (status === 200) {
        expect(ran).toMatchObject({ status: 0 });
        const values = readFileSync(file, 'utf8').trim().split('\n').map(Number);
        expect(values.length).toBeGreaterThan(100);
        expect(values.every((ms) => ms > 0 && ms < 10_000)).toBe(true);
      } else {
        expect(ran.status).not.toBe(0);
        expect(ran.stderr).toContain('answers are not 2xx');
      }
      await expect(fetch(url)).rejects.toThrow();
    }
  }, 60_000);
});

describeUnless(lackOfBuild('cli'), lackOfProgram('bash'))('the action for GitHub', () => {
  const action = example('action.yml');
  const [step] = action.runs.steps;

  /** The step with inputs, and what it leaves. */
  function act(name: string, inputs: Readonly<Record<string, string>>) {
    const temp = join(folder, name);
    mkdirSync(temp);
    const given: Readonly<Record<string, string>> = { hdrscope: HDRSCOPE, ...inputs };
    const inputOf = (input: string): string => given[input] ?? action.inputs[input].default;
    const environment = Object.entries(step.env as Readonly<Record<string, string>>).map(([key, text]) => {
      const [, input = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text) ?? [];
      return [key, inputOf(input)];
    });
    const files = { GITHUB_STEP_SUMMARY: join(temp, 'summary'), GITHUB_OUTPUT: join(temp, 'output') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    const ran = run('bash', step.run, { ...Object.fromEntries(environment), ...files, RUNNER_TEMP: temp });
    const outputs = Object.fromEntries(
      read(join(name, 'output'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]),
    );
    return { ...ran, outputs, summary: read(join(name, 'summary')) };
  }

  test('takes nothing from the network, and puts no input into its script', () => {
    expect(step.run).not.toMatch(/\$\{\{|curl|npm install|npx -y/);
    expect(action.runs.steps.every((one: object) => !('uses' in one))).toBe(true);
    expect(action.inputs.hdrscope.default).toBe('npx --no-install hdrscope');
  });

  test('fails when a side is slower, and leaves the report, JUnit, and a picture', () => {
    const { status, outputs, summary } = act('slower', {
      ...{ before: load(10), after: load(13), runs: '4', options: OPTIONS },
    });
    expect([status, outputs.verdict]).toEqual([1, 'worse']);
    expect(summary).toMatch(/^### ❌ Significantly slower/);
    expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs));
    expect(readFileSync(outputs.report!, 'utf8')).toBe(summary);
    expect(readFileSync(outputs.junit!, 'utf8')).toContain('failures="1"');
    expect(readFileSync(outputs.picture!, 'utf8')).toMatch(/^<svg/);
  });

  test('passes when it is not, ends with 3 when nobody can say, and names a run that fails', () => {
    const equal = act('equal', { before: load(10), after: load(10), runs: '4', options: OPTIONS });
    expect([equal.status, equal.outputs.verdict]).toEqual([0, 'not worse']);
    const few = { before: load(10), after: load(10), runs: '3', options: `${OPTIONS.replace('50', '99')}` };
    expect(act('few', few)).toMatchObject({ status: 3, outputs: { verdict: 'cannot be judged' } });
    const broken = act('broken', { before: load(10), after: 'exit 7', runs: '3', options: OPTIONS });
    expect(broken).toMatchObject({ status: 4, outputs: {}, summary: '' });
    expect(broken.stderr).toContain('run 1 of --after has ended with exit code 7');
  });
});

describeUnless(lackOfBuild('cli'), lackOfProgram('sh'))('the job for GitLab', () => {
  test('runs its script, and names the files that it leaves', () => {
    const { latency } = example('examples/ci/gitlab.yml');
    const script = latency.script
      .join('\n')
      .replace('npx --no-install hdrscope', HDRSCOPE)
      .replace('--runs 10', '--runs 4');
    const ran = run('sh', script, { BEFORE: load(10), AFTER: load(13), OPTIONS });
    expect(ran.status).toBe(1);
    for (const file of latency.artifacts.paths) expect(read(file)).not.toBe('');
    expect(read(latency.artifacts.reports.junit)).toContain('failures="1"');
    expect(latency.allow_failure.exit_codes).toBe(3);
  });
});

describeUnless(lackOfBuild('cli'), lackOfProgram('make'))('the Makefile', () => {
  test('compares the tree with its base', () => {
    mkdirSync(join(folder, '.base'));
    const make = `make -f '${join(workspaceRoot, 'examples/ci/Makefile')}' latency`;
    const settings = { BEFORE: load(10), AFTER: load(10), OPTIONS, HDRSCOPE };
    expect(run('sh', make, settings)).toMatchObject({ status: 0 });
    expect(read('latency.svg')).toMatch(/^<svg/);
    expect(run('sh', make, { ...settings, AFTER: load(14) }).status).not.toBe(0);
  });
});

test('the workflow for GitHub uses the action with inputs that it has, and outputs that it makes', () => {
  const action = example('action.yml');
  const workflow = readFileSync(join(workspaceRoot, 'examples/ci/github.yml'), 'utf8');
  const { steps } = parse(workflow).jobs.compare;
  const { with: inputs } = steps.find(({ id }: { id?: string }) => id === 'ab');
  expect(Object.keys(inputs).filter((name) => !(name in action.inputs))).toEqual([]);
  const outputs = [...workflow.matchAll(/steps\.ab\.outputs\.(\w+)/g)].map(([, name]) => name!);
  expect(outputs.filter((name) => !(name in action.outputs))).toEqual([]);
});
