// The parts of ECharts that draw pictures. ECharts' own types need those of a browser, so this module is JavaScript, and has
// types of its own beside it.
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { use } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

use([
  ...[CustomChart, LineChart, ScatterChart],
  ...[AriaComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent],
  ...[CanvasRenderer, SVGRenderer],
]);

export { init } from 'echarts/core';
