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
console.log('listening on 0');
