/** Imported first by every process of a round: none of them outlives the run, even if the run is killed. */
const LONGEST_MS = 180_000;

setTimeout(() => process.kill(process.pid, 'SIGKILL'), LONGEST_MS).unref();
