import { useEffect } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { SERVICE_URL } from '../../base-path.ts';
import { LinkButton } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { activity } from '../../texts/en-activity.ts';
import { lists } from '../../texts/en-lists.ts';
import { readFilters, requestOf } from '../wallet/filters.ts';
import { Live } from '../wallet/live.tsx';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { TransactionsTab } from './transactions-tab.tsx';
import '../wallet/transactions.css';
import './activity.css';

const TRANSACTIONS = '/activity';
const EVENTS = '/activity/events';
const DELIVERIES = '/activity/deliveries';

/** `/activity`: the transactions of all wallets; `/activity/events`: what happens in the account; `/activity/deliveries`: what webhooks get. `/events` was its address before. */
export function ActivityScreen() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  useEffect(() => {
    if (path === '/events') navigate(search === '' ? EVENTS : `${EVENTS}?${search}`, { replace: true });
  }, [path, search, navigate]);
  return (
    <>
      <PageHead title={activity.title} aside={<Live />} actions={path === TRANSACTIONS && <Export />} />
      <Tabs
        label={activity.title}
        tabs={[
          { href: TRANSACTIONS, label: activity.tabs.transactions, isCurrent: path === TRANSACTIONS },
          { href: EVENTS, label: activity.tabs.events, isCurrent: path === EVENTS },
          { href: DELIVERIES, label: activity.tabs.deliveries, isCurrent: path === DELIVERIES },
        ]}
      />
      {path === TRANSACTIONS && <TransactionsTab />}
      {path === EVENTS && <EventsTab />}
      {path === DELIVERIES && <DeliveriesTab />}
    </>
  );
}

/** Saves all transactions with the filters of the address as CSV. */
function Export() {
  const [parameters] = useFilters();
  const wallet = parameters.get('wallet') ?? '';
  const query = new URLSearchParams(Object.entries(requestOf(readFilters(parameters))).map(([name, value]) => [name, String(value)]));
  if (wallet !== '') query.set('wallet_id', wallet);
  return (
    <LinkButton icon="download" href={`${SERVICE_URL}/v1/wallet-transactions/export?${query}`} download="transactions.csv">
      {lists.export}
    </LinkButton>
  );
}
