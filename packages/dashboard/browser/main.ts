import { Page } from './page.ts';
import './page.css';

const page = new Page();
document.body.prepend(page.element);
page.start();
