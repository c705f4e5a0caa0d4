/** The version of this package. A release raises it together with that in package.json. */
export const VERSION = '1.0.0';
