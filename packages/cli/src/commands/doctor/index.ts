import { examineKernel, type Finding } from '@hdrscope/ebpf';
import { ExitCode, UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { findingLines } from '../../screen/findings.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { canReadKernel } from '../ebpf/doctor.ts';
import { readServerUrl, readTargetUrl } from '../prometheus/urls.ts';
import { examineCeph } from './ceph.ts';
import { examineHealth } from './health.ts';
import { examineOtlp } from './otlp.ts';
import { examinePrometheus } from './prometheus.ts';
import { examineTarget } from './target.ts';

const DESCRIPTION = `Asks the parts of an installation whether they work together, and says what helps where they do not.

A target is the URL of its metrics; without a path, the path is /metrics. It is asked as Prometheus asks: for native buckets.
With --prometheus, the server is asked whether it scrapes these targets, and what it has stored of them. --otlp sends a
receiver a request without metrics. Nothing is changed anywhere. The exit code is 1 when something is amiss.`;

/** What was asked, and what was found. */
interface Examined {
  readonly subject: string;
  /** Whether it works, although something may be missing that it can do without. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

function summarize(subject: string, findings: readonly Finding[]): Examined {
  return { subject, ok: findings.every(({ ok }) => ok), findings };
}

const KERNEL = 'this kernel';

const url = { value: '<url>', parse: readServerUrl } as const;

export const command = defineCommand({
  path: 'hdrscope doctor',
  description: DESCRIPTION,
  examples: [
    'hdrscope doctor localhost:9464 --prometheus http://localhost:9090',
    'hdrscope doctor --otlp http://localhost:4318',
    'hdrscope doctor --kernel --ceph /var/run/ceph --json',
  ],
  operands: { '[url...]': 'URLs of services and exporters, such as http://localhost:9464' },
  options: {
    prometheus: { ...url, help: 'a Prometheus, as in http://localhost:9090' },
    otlp: {
      ...url,
      help: 'a receiver of OTLP over HTTP, such as a Collector; without a path, the path is /v1/metrics',
    },
    ceph: { value: '<path>', help: 'the admin socket of a daemon, or a folder of sockets' },
    health: {
      ...url,
      help: 'an agent with a sink health, as in http://localhost:9466; without a path, the path is /health',
    },
    kernel: { help: 'what reading histograms of this kernel takes, as hdrscope ebpf doctor' },
  },
  formats: ['text', 'json'],
  async run({ options: { prometheus, otlp, ceph, health, kernel = false }, operands, format }, io) {
    const urls = operands.map(readTargetUrl);
    if (
      urls.length === 0 &&
      prometheus === undefined &&
      otlp === undefined &&
      ceph === undefined &&
      health === undefined &&
      !kernel
    ) {
      throw new UsageError(
        'name what to ask: URLs of services, --prometheus, --otlp, --ceph, --health or --kernel, as in hdrscope doctor localhost:9464',
      );
    }
    const { signal } = io;
    const targets = await Promise.all(urls.map((one) => examineTarget(one, signal)));
    const examined: Examined[] = targets.map(({ url: { host }, findings }) => summarize(host, findings));
    if (prometheus !== undefined) {
      const findings = await examinePrometheus(prometheus, targets, signal);
      examined.push(summarize(`Prometheus at ${prometheus.host}`, findings));
    }
    if (otlp !== undefined) {
      if (otlp.pathname === '/') otlp.pathname = '/v1/metrics';
      examined.push(summarize(`OTLP at ${otlp.host}`, [await examineOtlp(otlp, signal)]));
    }
    if (ceph !== undefined) {
      examined.push(summarize(`Ceph at ${ceph}`, await examineCeph(ceph, signal)));
    }
    if (health !== undefined) {
      if (health.pathname === '/') health.pathname = '/health';
      examined.push(summarize(`The agent at ${health.host}`, [await examineHealth(health, signal)]));
    }
    if (kernel) {
      const findings = await examineKernel();
      examined.push({ subject: KERNEL, ok: canReadKernel(findings), findings });
    }
    const amiss = examined.filter(({ ok }) => !ok).map(({ subject }) => subject);
    const isWell = amiss.length === 0;
    if (format === 'json') await io.stdout.write(jsonDocument({ ok: isWell, examined }));
    else {
      const blocks = examined.map(({ subject, findings }) =>
        [subject, ...findingLines(findings, subject === KERNEL ? 'cannot' : 'amiss', io)].join('\n'),
      );
      const verdict = isWell ? 'All is well.' : `Something is amiss: ${amiss.join(', ')}.`;
      await io.stdout.write(`${blocks.join('\n\n')}\n\n${wrapToScreen(verdict, io)}\n`);
    }
    return isWell ? ExitCode.done : ExitCode.refused;
  },
});
