/** Counts one value and ends as its argument says. */
const { metrics } = require('@opentelemetry/api');

metrics.getMeter('job').createHistogram('job.size').record(7);
const [, , way] = process.argv;
if (way === 'code') process.exitCode = 3;
if (way === 'signal') setInterval(() => {}, 1000);
if (way === 'handler') {
  const work = setInterval(() => {}, 1000);
  process.once('SIGTERM', () => {
    setTimeout(() => {
      process.exitCode = 5;
      clearInterval(work);
    }, 300);
  });
}
if (way === 'hangup') setInterval(() => {}, 1000);
if (way === 'exit at once') setTimeout(() => process.exit(4), 100);
if (way === 'exit in a handler') {
  setInterval(() => {}, 1000);
  process.once('SIGTERM', async () => {
    await null;
    process.exit(4);
  });
}
if (way === 'error') {
  setTimeout(() => {
    throw new Error('nobody catches this');
  }, 100);
}
if (way === 'rejection') setTimeout(() => Promise.reject(new Error('nobody catches this')), 100);
console.log('listening on 0');
