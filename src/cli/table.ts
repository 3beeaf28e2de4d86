/** Formats rows as aligned columns. `right`: the indexes of the right-aligned columns. `widths` are those of rows before, and grow. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = [], widths: number[] = []): string {
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)));
  return rows.map((row) => `  ${line(row).join('  ')}`.trimEnd()).join('\n');
}

/** Formats a whole number with thousands separators. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats Unix seconds as ISO 8601 in UTC. */
export function moment(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Formats a duration in its two largest units. */
export function span(seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600), Math.floor((seconds % 3600) / 60)];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
