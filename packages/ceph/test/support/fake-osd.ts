import { COUNTER, LATENCY, SIZE } from '@hdrscope/testing/osd';
import { type AskDaemon, formatHistogramDump, PerfHistogram } from '../../src/index.ts';

/** An OSD that counts writes in a histogram and in plain counters, as a real one does. */
export class FakeOsd {
  histogram = new PerfHistogram([LATENCY, SIZE]);
  readonly asked: string[] = [];
  #latencyNs = 0;
  #bytes = 0;
  #count = 0;
  /** Runs before each answer. */
  beforeAnswer: (prefix: string) => void = () => {};

  write(latencyNs: number, bytes: number): void {
    this.histogram.record(latencyNs, bytes);
    this.countOnly(latencyNs, bytes);
  }

  /** Counts an operation in the plain counters alone. */
  countOnly(latencyNs: number, bytes: number): void {
    this.#latencyNs += latencyNs;
    this.#bytes += bytes;
    this.#count++;
  }

  reset(): void {
    this.histogram = new PerfHistogram([LATENCY, SIZE]);
    [this.#latencyNs, this.#bytes, this.#count] = [0, 0, 0];
  }

  readonly ask: AskDaemon = async (prefix) => {
    this.asked.push(prefix);
    this.beforeAnswer(prefix);
    if (prefix === 'perf dump') {
      const latency = { avgcount: this.#count, sum: this.#latencyNs / 1e9 };
      return JSON.stringify({
        osd: { op_w: this.#count, op_w_in_bytes: this.#bytes, op_w_latency: latency },
      });
    }
    const counters = [{ name: COUNTER, histogram: this.histogram }];
    return formatHistogramDump(
      [
        { name: 'osd', counters },
        { name: 'cct', counters: [] },
      ],
      { format: 'json' },
    );
  };
}
