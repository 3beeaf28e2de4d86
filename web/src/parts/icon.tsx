import {
  Activity,
  FlaskConical,
  KeyRound,
  Link,
  LogOut,
  type LucideIcon,
  Search,
  Server,
  Settings,
  Terminal,
  Users,
  Wallet,
  Webhook,
} from 'lucide-preact';

const ICONS = {
  activity: Activity,
  flask: FlaskConical,
  key: KeyRound,
  link: Link,
  'log-out': LogOut,
  search: Search,
  server: Server,
  settings: Settings,
  terminal: Terminal,
  users: Users,
  wallet: Wallet,
  webhook: Webhook,
} satisfies Record<string, LucideIcon>;

export type IconName = keyof typeof ICONS;

/** An icon beside a text that says the same; screen readers skip it. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  const Drawing = ICONS[name];
  return <Drawing class="icon" size={size} strokeWidth={1.5} absoluteStrokeWidth aria-hidden="true" />;
}
