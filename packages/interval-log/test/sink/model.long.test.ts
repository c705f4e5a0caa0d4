import { describeSinkModel } from './support/model.ts';

describeSinkModel(100);
