import './summarize-divided.test.ts';
