import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, type AgentConfig, parseConfig, startAgent } from '../../src/index.ts';

/** Agents, a folder and other resources of a test. They disappear when the test ends. */
export interface World {
  pathOf(name: string): string;
  /** The log lines of the agents. */
  readonly lines: string[];
  start(yaml: string, stdin?: AsyncIterable<Uint8Array>): Promise<Agent>;
  atEnd(end: () => unknown): void;
}

export function useWorld(): World {
  let folder: string;
  let ends: (() => unknown)[] = [];
  const lines: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-agent-'));
    lines.length = 0;
  });
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
    rmSync(folder, { recursive: true });
  });
  return {
    pathOf: (name) => join(folder, name),
    lines,
    async start(yaml, stdin) {
      const agent = await startAgent(configOf(yaml), {
        log: (line) => lines.push(line),
        retry: { firstMs: 20, longestMs: 50 },
        ...(stdin !== undefined && { stdin }),
      });
      ends.push(() => agent.stop());
      return agent;
    },
    atEnd: (end) => ends.push(end),
  };
}

export function configOf(yaml: string): AgentConfig {
  const { config, issues } = parseConfig(yaml);
  if (config === undefined) throw new Error(issues.map(({ message }) => message).join('\n'));
  return config;
}

/** Waits for a condition, for as long as a busy machine may take. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`it never came that ${what}`);
    await sleep(10);
  }
}

/** The URL of a sink, from the log lines. */
export function urlIn(lines: readonly string[], sink = 'prometheus'): string {
  const line = lines.findLast((text) => text.startsWith(`sink ${sink} has started: `));
  if (line === undefined) throw new Error(`no line has the address of ${sink}:\n${lines.join('\n')}`);
  return line.slice(line.indexOf('http'));
}

/** The number of a sample; `undefined` without that sample. */
export async function sample(url: string, name: string): Promise<number | undefined> {
  const text = await (await fetch(url)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
