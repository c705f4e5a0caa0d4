/** Starts an SDK as `@opentelemetry/auto-instrumentations-node/register` does: a module to be loaded before a service. */
const { HttpInstrumentation } = require('instrumentation-http-0.223');
const { NodeSDK } = require('sdk-node-0.223');

const sdk = new NodeSDK({ serviceName: 'with an SDK', instrumentations: [new HttpInstrumentation()] });
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
