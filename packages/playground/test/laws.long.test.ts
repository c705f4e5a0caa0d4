import './history.test.ts';
