import { describeScrapes } from './support/scrape-law.ts';

describeScrapes(40);
