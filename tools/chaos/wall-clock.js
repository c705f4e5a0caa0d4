/**
 * Imported first by a process whose wall clock is set. `Date` of the whole process, and nothing else, shows the time plus the milliseconds
 * that the file at `CHAOS_CLOCK` has. The monotonic clock goes on, and so do the clock of the kernel and the times of files.
 */
import { readFileSync } from 'node:fs';

const file = process.env.CHAOS_CLOCK;
const RealDate = Date;
let shiftMs = 0;

if (file !== undefined) {
  const look = () => {
    shiftMs = Number(readFileSync(file, 'utf8'));
  };
  look();
  setInterval(look, 5).unref();
  const now = () => RealDate.now() + shiftMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
