import { describeGeneratedIncidents } from './generated-incidents.ts';

describeGeneratedIncidents({ incidents: 100, days: 25, quietDays: 100 });
