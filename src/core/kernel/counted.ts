/** Formats a number with its noun. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** Formats a duration in whole minutes, hours or days, the largest unit of which there are at least two. */
export function roughly(seconds: number): string {
  if (seconds >= 2 * 86_400) return counted(Math.floor(seconds / 86_400), 'day');
  if (seconds >= 2 * 3600) return counted(Math.floor(seconds / 3600), 'hour');
  return counted(Math.floor(seconds / 60), 'minute');
}
