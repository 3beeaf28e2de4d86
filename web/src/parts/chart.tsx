import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Sats } from './amount.tsx';
import type { Period } from './chart-scale.ts';
import { formatAxisTimes } from './format-time.ts';
import './chart.css';

export interface ChartProps {
  /** A sentence that says the most important thing; the name of the chart for screen readers. */
  readonly label: string;
  readonly period: Period;
  /** The values of the grid lines, from 0. */
  readonly lines: readonly number[];
  readonly columns: readonly string[];
  /** What the chart shows, oldest first. */
  readonly rows: readonly ChartRow[];
  /** Returns the row at a place between the left edge (0) and the right edge (1). */
  readonly rowAt: (fraction: number) => number;
  readonly legend?: ComponentChildren;
  /** Writes a value. Default: as sats. */
  readonly format?: ((value: number) => string) | undefined;
  /** Draws the values. */
  readonly children: ComponentChildren;
}

export interface ChartRow {
  /** Between the left edge (0) and the right edge (1). */
  readonly place: number;
  readonly time: string;
  /** For each column; whole sats unless the chart has a format. */
  readonly values: readonly number[];
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** The grid, the axes, the readout and the table of a chart. Pointer and arrow keys move the readout. */
export function Chart({ label, period, lines, columns, rows, rowAt, legend, format, children }: ChartProps) {
  const [chosen, choose] = useState<number>();
  const last = rows.length - 1;
  const current = Math.min(chosen ?? last, last);
  const row = rows[current];
  const times = formatAxisTimes(
    TICKS.map((tick) => period.from + tick * (period.to - period.from)),
    period,
  );

  function onKeyDown(event: KeyboardEvent) {
    const next = moved(event.key, current, last);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  }

  function onPointer(event: PointerEvent & { currentTarget: HTMLElement }) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    choose(rowAt(Math.min(1, Math.max(0, (event.clientX - left) / width))));
  }

  return (
    <div>
      {legend}
      <div class="chart">
        <div
          class="plot"
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={current}
          aria-valuetext={row && textOf(row, columns, format)}
          onKeyDown={onKeyDown}
          onFocus={(event) => event.currentTarget.matches(':focus-visible') && choose(current)}
          onBlur={() => choose(undefined)}
          onPointerMove={onPointer}
          onPointerDown={onPointer}
          onPointerLeave={() => choose(undefined)}
        >
          {lines.map((line, index) => (
            <span key={line} class="grid-line" style={{ bottom: `${(100 * index) / (lines.length - 1)}%` }} />
          ))}
          {children}
          {chosen !== undefined && row && <Readout row={row} columns={columns} top={lines.at(-1) ?? 1} format={format} />}
        </div>
        <div class="value-axis" aria-hidden="true">
          {lines.toReversed().map((line) => (
            <Value key={line} value={line} format={format} />
          ))}
        </div>
        <div class="time-axis" aria-hidden="true">
          {TICKS.map((tick, index) => (
            <span key={tick} style={{ left: `${tick * 100}%` }}>
              {tick === 1 ? t.common.now : times[index]}
            </span>
          ))}
        </div>
      </div>
      <ChartTable label={label} columns={columns} rows={rows} format={format} />
    </div>
  );
}

function moved(key: string, current: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -last, End: last };
  const step = steps[key];
  return step === undefined ? undefined : Math.min(last, Math.max(0, current + step));
}

type Format = ChartProps['format'];

function textOf({ time, values }: ChartRow, columns: readonly string[], format: Format = String): string {
  return [time, ...values.map((value, index) => `${columns[index]} ${format(value)}`)].join(', ');
}

function Value({ value, format, unit = false }: { value: number; format: Format; unit?: boolean }) {
  return format ? <span class="number">{format(value)}</span> : <Sats sats={value} unit={unit} />;
}

function Readout({ row, columns, top, format }: { row: ChartRow; columns: readonly string[]; top: number; format: Format }) {
  const left = `${row.place * 100}%`;
  return (
    <>
      <span class="cross-hair" style={{ left }} />
      {row.values.map((value, index) => (
        <span key={columns[index]} class="point" style={{ left, bottom: `${(100 * Math.min(top, Math.max(0, value))) / top}%` }} />
      ))}
      <span class={row.place > 0.5 ? 'readout before' : 'readout'} style={{ left }}>
        <span class="faint">{row.time}</span>
        {row.values.map((value, index) => (
          <span key={columns[index]}>
            {row.values.length > 1 && `${columns[index]} `}
            <b>
              <Value value={value} format={format} unit />
            </b>
          </span>
        ))}
      </span>
    </>
  );
}

/** The values as a table, newest first. It is made when it is opened. */
function ChartTable({ label, columns, rows, format }: Pick<ChartProps, 'label' | 'columns' | 'rows' | 'format'>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary class="small">{t.charts.showTable}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard.
        <section tabIndex={0} aria-label={label}>
          <table class="table">
            <thead>
              <tr>
                <th>{t.charts.time}</th>
                {columns.map((column) => (
                  <th key={column} class="end">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.toReversed().map((row, index) => (
                <tr key={rows.length - index}>
                  <td>{row.time}</td>
                  {row.values.map((value, column) => (
                    <td key={columns[column]} class="end">
                      <Value value={value} format={format} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

/** Names the marks of a chart with two kinds of values. */
export function Legend({ entries }: { entries: readonly (readonly [mark: 'line' | 'dashes' | 'solid' | 'hatched', name: string])[] }) {
  return (
    <div class="chart-legend small">
      {entries.map(([mark, name]) => (
        <span key={mark}>
          <i class={mark} />
          {name}
        </span>
      ))}
    </div>
  );
}
