import { MINUTE_MS, valuesText } from '@hdrscope/kit';
import {
  loadMigration,
  type Proof,
  type ProvingServer,
  type RewrittenQuery,
} from '@hdrscope/prometheus/internal';
import type { Io } from '../../command.ts';
import { explained } from '../../inputs/input.ts';
import { type SpanOptions, spanOf } from '../../moment.ts';
import type { DocumentQuery } from './find-queries.ts';
import { type StartedPrometheus, startPrometheus } from './start-prometheus.ts';

/** Where the answers come from. */
export interface ProverOptions extends SpanOptions {
  readonly prometheus?: URL | undefined;
  readonly generate?: boolean | undefined;
  readonly prometheusProgram: string;
  readonly seed: number;
}

/** Asks for queries before and after their rewriting. */
export interface Prover {
  /** What the proofs rest on, as in `of the server`. */
  readonly basis: string;
  prove(query: DocumentQuery, before: string, rewriting: RewrittenQuery): Promise<Proof>;
  /** Ends what the prover has started. */
  close(): Promise<void>;
}

/** Opens the prover that the options ask for. `undefined` where they ask for none. @throws Refusal when Prometheus does not start */
export async function openProver(
  options: ProverOptions,
  io: Pick<Io, 'signal'>,
): Promise<Prover | undefined> {
  if (options.prometheus !== undefined) return new ServerProver({ ...options, url: options.prometheus }, io);
  return options.generate === true ? GeneratedProver.open(options, io.signal) : undefined;
}

/** A sentence about what a proof has shown. */
export function describeProof(proof: Proof, { basis }: Pick<Prover, 'basis'>): string {
  return proof.outcome === 'equal'
    ? `${valuesText(proof.values)} ${basis} agree`
    : `not proven: ${proof.reason}`;
}

const HOUR_MS = 60 * MINUTE_MS;

/** Asks a server that stores both forms. */
class ServerProver implements Prover {
  readonly basis = 'of the server';
  readonly #server: ProvingServer;

  constructor({ url, ...options }: ProverOptions & { readonly url: URL }, { signal }: Pick<Io, 'signal'>) {
    const { sinceMs, untilMs = Date.now() } = spanOf(options);
    this.#server = { url, sinceMs: sinceMs ?? untilMs - HOUR_MS, untilMs, signal };
  }

  async prove({ use }: DocumentQuery, before: string, rewriting: RewrittenQuery): Promise<Proof> {
    if (rewriting.records.length > 0) {
      return {
        outcome: 'unknown',
        reason: 'it reads series that are recorded under their new names only later',
      };
    }
    if (use === 'series') return { outcome: 'unknown', reason: 'it asks for labels, and not for values' };
    const { proveRewriting } = await loadMigration();
    return explained(() => proveRewriting({ ...rewriting, before }, this.#server));
  }

  async close(): Promise<void> {}
}

/** A server with the series of more questions takes more memory than a new one takes time. */
const MOST_QUESTIONS = 200;

/** Makes up series for each query in a Prometheus that it starts. */
class GeneratedProver implements Prover {
  readonly basis: string;
  readonly #options: ProverOptions;
  readonly #signal: AbortSignal;
  #started: StartedPrometheus;
  #untilMs = Date.now();
  #questions = 0;

  private constructor(started: StartedPrometheus, options: ProverOptions, signal: AbortSignal) {
    this.#started = started;
    this.#options = options;
    this.#signal = signal;
    this.basis = `on generated data (seed ${options.seed})`;
  }

  static async open(options: ProverOptions, signal: AbortSignal): Promise<GeneratedProver> {
    return new GeneratedProver(await startPrometheus(options.prometheusProgram, signal), options, signal);
  }

  async prove(
    { use }: DocumentQuery,
    before: string,
    { after, claims, records }: RewrittenQuery,
  ): Promise<Proof> {
    if (this.#questions === MOST_QUESTIONS) await this.#startAnew();
    const { proveOnGenerated } = await loadMigration();
    const question = {
      name: String(this.#questions++),
      before,
      after,
      claims,
      records,
      isOfLabels: use === 'series',
    };
    const server = {
      url: this.#started.url,
      untilMs: this.#untilMs,
      seed: this.#options.seed,
      signal: this.#signal,
    };
    return explained(() => proveOnGenerated(question, server));
  }

  close(): Promise<void> {
    return this.#started.close();
  }

  async #startAnew(): Promise<void> {
    await this.close();
    this.#started = await startPrometheus(this.#options.prometheusProgram, this.#signal);
    this.#untilMs = Date.now();
    this.#questions = 0;
  }
}
