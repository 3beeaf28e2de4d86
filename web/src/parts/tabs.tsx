import { Link } from 'wouter-preact';
import './tabs.css';

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly href: string; readonly label: string; readonly isCurrent: boolean }[];
}

/** Links between the pages of one thing. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
