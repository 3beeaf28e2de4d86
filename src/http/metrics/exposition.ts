export interface Sample {
  /** Appended to the family's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A family of metrics in Prometheus' text format, version 0.0.4. */
export function family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`,
  );
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

/** The event loop's delay is not a number before it was ever measured. */
function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : '0';
}
