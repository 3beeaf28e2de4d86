import { buildDashboard } from '../../scripts/dashboard.mjs';

/** Builds the dashboard before the tests, if its sources have changed. */
export function setup(): void {
  buildDashboard();
}
