import type { Alerts } from '../alerts/alerts.ts';

const KIND = 'fiat_rate';

/** The problems of a refresh, by the subjects of their alerts: a currency, or a currency and a provider. */
export type Problems = ReturnType<typeof createProblems>;

/** Collects the problems of a refresh. Reporting them raises the new alerts, and clears those whose cause is gone. */
export function createProblems(alerts: Alerts) {
  /** The last message of each alert that this process has raised. A repetition would insert an event. */
  const raised = new Map<string, string>();
  let noted = new Map<string, string>();
  let kept = new Set<string>();

  return {
    /** Notes a problem. */
    note(subject: string, message: string): void {
      noted.set(subject, message);
    },

    /** Leaves an alert as it is: whether its cause is gone is not known. */
    keep(subject: string): void {
      kept.add(subject);
    },

    /** Raises and clears alerts, and begins a new collection. */
    async report(): Promise<void> {
      const [found, unclear] = [noted, kept];
      noted = new Map();
      kept = new Set();
      const open = new Set(await alerts.openSubjects(KIND));
      for (const [subject, message] of found) {
        if (open.has(subject) && raised.get(subject) === message) continue;
        const [currency, provider] = subject.split(' ');
        await alerts.raise({ kind: KIND, subject, message, details: { name: currency, status: provider, reason: message } });
        raised.set(subject, message);
      }
      for (const subject of open) if (!found.has(subject) && !unclear.has(subject)) await alerts.clear(KIND, subject);
    },
  };
}
