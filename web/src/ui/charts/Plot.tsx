import '@mantine/charts/styles.layer.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { useId } from 'react';
import { Rectangle, type BarShapeProps } from 'recharts';
import type { PlotRow } from './TimeChart';
import classes from './Plot.module.css';

interface Props {
  points: PlotRow[];
  names: string[];
  ticks: number[];
  scale: (value: number) => string;
  kind: 'area' | 'columns' | 'stack';
  /** What a click does. */
  hint?: string;
  onPick?: (key: string) => void;
}

const VARIABLES = ['first', 'second', 'third', 'fourth'].map((name) => `--spv-chart-${name}`);
const COLORS = VARIABLES.map((name) => `var(${name})`);
const BEFORE = 'before';

/** Drawing of a chart over time, by the chart library. */
export function Plot({ points, names, ticks, scale, kind, hint, onPick }: Props) {
  const hatch = useId();
  const past = points.some((point) => point.before);
  const runningAt = points.findIndex((point) => point.running);
  const end = ticks.at(-1) ?? 1;
  const shared = {
    h: '100%',
    dataKey: 'key',
    withTooltip: true,
    accessibilityLayer: false,
    gridAxis: 'x' as const,
    gridColor: 'var(--spv-border)',
    strokeDasharray: '0',
    tickLine: 'none' as const,
    xAxisProps: {
      tickFormatter: (key: string) => points.find((point) => point.key === key)?.label ?? '',
      interval: 'preserveStartEnd' as const,
      minTickGap: 12,
    },
    yAxisProps: { ticks, domain: [0, end] as [number, number], width: 52, tickFormatter: scale },
    tooltipProps: {
      content: ({ label }: { label?: string | number }) => (
        <ChartTip point={points.find(({ key }) => key === label)} names={names} hint={hint} />
      ),
      isAnimationActive: false,
    },
  };
  const pick = {
    onClick: ({ activeLabel }: { activeLabel?: string | number }) => {
      if (activeLabel !== undefined) onPick?.(String(activeLabel));
    },
  };
  if (kind !== 'area') {
    return (
      <BarChart
        {...shared}
        type={kind === 'stack' ? 'stacked' : 'default'}
        data={points.map(({ key, values }) => ({
          key,
          ...Object.fromEntries(values.map((value, n) => [`s${n}`, value])),
        }))}
        series={names.map((_, n) => ({ name: `s${n}`, color: COLORS[n] ?? '' }))}
        maxBarWidth={36}
        cursorFill="var(--spv-hover)"
        barChartProps={pick}
        barProps={(series) => ({
          isAnimationActive: false,
          // A gap, so that parts differ without color.
          stroke: 'var(--spv-surface)',
          strokeWidth: kind === 'stack' ? 1 : 0,
          shape: (bar: BarShapeProps) => (
            <Rectangle
              {...bar}
              fill={points[bar.index]?.running ? `url(#${hatch}-${series.name})` : series.color}
            />
          ),
        })}
      >
        <defs>
          {names.map((name, n) => (
            <pattern
              key={name}
              id={`${hatch}-s${n}`}
              width={6}
              height={6}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect className={classes.hatch} width={3} height={6} fill={COLORS[n]} />
            </pattern>
          ))}
        </defs>
      </BarChart>
    );
  }
  // The last stretch of a time that is not over is dashed: a series of its own.
  const split = (n: number, value: number | null, at: number) => ({
    [`s${n}`]: runningAt > 0 && at >= runningAt ? null : value,
    [`r${n}`]: runningAt > 0 && at >= runningAt - 1 && at <= runningAt ? value : null,
  });
  return (
    <AreaChart
      {...shared}
      curveType="linear"
      connectNulls={false}
      fillOpacity={0.14}
      strokeWidth={2}
      withDots={points.length <= 24}
      dotProps={{ r: 2.5, strokeWidth: 0 }}
      activeDotProps={{ r: 4, strokeWidth: 2 }}
      // Room for the last label under its point: pushed to the left it would displace the one before.
      areaChartProps={{ ...pick, margin: { right: 16 } }}
      areaProps={({ name }) => ({
        isAnimationActive: false,
        ...(name === BEFORE && { fillOpacity: 0, strokeWidth: 1.5, dot: false, activeDot: false }),
      })}
      data={points.map(({ key, values, before }, at) => ({
        key,
        [BEFORE]: before?.value ?? null,
        ...Object.assign({}, ...values.map((value, n) => split(n, value, at))),
      }))}
      series={[
        ...(past ? [{ name: BEFORE, color: 'var(--spv-chart-before)', strokeDasharray: '5 4' }] : []),
        ...names.map((_, n) => ({ name: `s${n}`, color: COLORS[n] ?? '' })),
        ...(runningAt > 0
          ? // Written differently: the library names a gradient by its color.
            names.map((_, n) => ({
              name: `r${n}`,
              color: `var(${VARIABLES[n]}, currentcolor)`,
              strokeDasharray: '3 4',
            }))
          : []),
      ]}
    />
  );
}

function ChartTip({ point, names, hint }: { point?: PlotRow; names: string[]; hint?: string }) {
  if (!point) return null;
  return (
    <div className={classes.tip}>
      <strong>{point.title}</strong>
      {names.map((name, n) => (
        <div key={name}>
          <span>{name}</span>
          <b>{point.texts[n]}</b>
        </div>
      ))}
      {point.before && (
        <div>
          <span>{point.before.title}</span>
          <b>{point.before.text}</b>
        </div>
      )}
      {hint && <em className={classes.hint}>{hint}</em>}
    </div>
  );
}
