/** A service that starts an SDK in its code. */
require('./sdk.cjs');
require('./express.cjs');
