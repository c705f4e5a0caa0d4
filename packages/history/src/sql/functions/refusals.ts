/** What a function of an engine says of rows that it cannot add up. */
export const SEVERAL_SCALES = 'rows of several scales have no common slots: group by unit and scale';

/** What a function of an engine says of a number that is not a percentile. */
export const NO_PERCENTILE = 'p must be a number from 0 to 100';
