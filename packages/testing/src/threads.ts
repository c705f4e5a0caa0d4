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
