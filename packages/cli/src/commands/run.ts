import { type Agent, readConfigFile, startAgent } from '@hdrscope/agent';
import { ExitCode, type Io, Refusal } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { untilAborted } from '../serving.ts';
import { withoutSystemWords } from '../system-error.ts';

const DESCRIPTION = `Brings sources of histograms to sinks, as a configuration says, until a signal ends it.

Sources are interval logs that grow, daemons of Ceph, eBPF maps and programs, ebpf_exporter, bpftrace
scripts, metrics sent by OpenTelemetry, and numbers on standard input or in a named pipe. Sinks are
Prometheus, remote write, OTLP, a file for node_exporter, an admin socket, an interval log, a history,
a live page and a health check. A source or sink that fails is started again, and the others go on.

SIGHUP reads the configuration again: unchanged entries go on, and no count is lost. SIGTERM and
SIGINT end it: it reads the sources once more, and the sinks send what they still hold.`;

export const command = defineCommand({
  path: 'hdrscope run',
  description: DESCRIPTION,
  examples: [
    'hdrscope config init && hdrscope run hdrscope.yaml',
    "awk '{ print $NF }' access.log | hdrscope run hdrscope.yaml",
  ],
  operands: { '<config>': 'a configuration: hdrscope config init writes one' },
  async run({ operands: [path = ''] }, io) {
    // The sinks send what they still hold.
    io.endSlowly?.();
    const environment = { environment: io.environment };
    const starting = startAgent(await readConfigFile(path, environment), {
      stdin: untilEnded(io),
      log: (line) => {
        // A log that nobody reads must not stop the agent.
        io.stderr.write(`hdrscope: ${line}\n`).catch(() => {});
      },
    });
    const stopListening = io.onReload?.(async () => {
      const agent = await starting;
      await agent.reload(() => readConfigFile(path, environment));
    });
    const agent = await starting;
    try {
      assertSomeSink(agent);
      await untilAborted(io.signal).catch(() => {});
    } finally {
      await agent.stop();
      stopListening?.();
    }
    const problems = await agent.stop();
    return problems.length === 0 ? ExitCode.serviceEnded : ExitCode.refused;
  },
});

/** Standard input. Closing it while the command ends is not an error. */
async function* untilEnded({ stdin, signal }: Io): AsyncGenerator<Uint8Array, void> {
  try {
    yield* stdin;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Fails when no sink can start at first, because a person is there to read why. Later, sinks are tried again without end. */
function assertSomeSink(agent: Agent): void {
  const sinks = agent.health.entries.filter(({ kind }) => kind === 'sink');
  if (sinks.some(({ state }) => state !== 'waiting')) return;
  const reasons = sinks.map(({ name, lastError }) => `${name}: ${withoutSystemWords(String(lastError))}`);
  throw new Refusal(`no sink could start\n${reasons.join('\n')}`);
}
