import { parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Runs a module of TypeScript in a thread, where no code of other tests has run: V8 compiles a function according to the calls that it has
 * seen.
 *
 * @param data What `taskOfThread` returns there.
 * @returns The answer of the module.
 */
export async function runInThread<Answer>(module: URL, data: unknown): Promise<Answer> {
  const thread = new Worker(module, { workerData: data });
  try {
    return await awaitAnswer<Answer>(thread);
  } finally {
    await thread.terminate();
  }
}

/** The first message of a thread. */
export function awaitAnswer<Answer>(thread: Worker): Promise<Answer> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)));
  });
}

/** What a thread is to do. */
export function taskOfThread<Task>(): Task {
  return workerData as Task;
}

/** Answers what a thread was started for. */
export function answer(value: unknown): void {
  parentPort!.postMessage(value);
}

/**
 * The fewest bytes that one of 500 runs allocates. Numbers are boxed until the code is compiled, and a run with a garbage collection proves
 * nothing.
 *
 * @param limit Fewer bytes than these are few enough, and end the search.
 */
export function fewestBytes(run: () => void, limit: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let rounds = 0; rounds < 500 && least >= limit; rounds++) {
    const before = process.memoryUsage().heapUsed;
    run();
    const bytes = process.memoryUsage().heapUsed - before;
    if (bytes >= 0) least = Math.min(least, bytes);
  }
  return least;
}

/**
 * The least processor time that each of some works takes, in microseconds. They run in turns, at least four times each, and until `isEnough`:
 * on a busy machine V8 compiles late, and other programs take no processor time of this one.
 *
 * @param prepare Runs before each work, and is not measured.
 */
export async function measureLeast<Name extends string>(
  works: Readonly<Record<Name, () => unknown>>,
  isEnough: (least: Readonly<Record<Name, number>>) => boolean,
  { rounds, prepare }: { readonly rounds: number; readonly prepare?: () => unknown },
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(works) as Name[];
  const least = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY])) as Record<
    Name,
    number
  >;
  for (let round = 0; round < rounds && (round < 4 || !isEnough(least)); round++) {
    for (const name of names) {
      await prepare?.();
      const before = process.cpuUsage();
      await works[name]();
      const { user, system } = process.cpuUsage(before);
      least[name] = Math.min(least[name], user + system);
    }
  }
  return least;
}
