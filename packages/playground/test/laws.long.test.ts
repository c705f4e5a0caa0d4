import './history.test.ts';
import './divide-log.test.ts';
