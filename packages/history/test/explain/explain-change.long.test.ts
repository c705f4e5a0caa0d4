import { describeGeneratedIncidents } from './generated-incidents.ts';

describeGeneratedIncidents({ incidents: 100, others: 40, days: 25, quietDays: 100 });
