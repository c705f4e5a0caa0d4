import { Page } from './page.ts';
import '@hdrscope/page/base.css';
import './page.css';
import './controls.css';
import './table.css';
import './timeline.css';
import '@hdrscope/page/charts.css';
import './detail.css';
import './results.css';
import './why.css';

const page = new Page();
document.body.prepend(page.element);
page.start();
