import { api, type Instances } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { OperatorTabs } from './operator-tabs.tsx';

const texts = t.operator.instances;
const REFRESH_MS = 5_000;

/** `/operator/instances`: the processes of the service, and which of them runs the background jobs. */
export function InstancesScreen() {
  const instances = useResource('instances', (signal) => api.operator.getInstances({}, { signal }), { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead title={texts.title} />
      <OperatorTabs />
      <Loaded resource={instances}>
        {(state) => (
          <>
            <InstanceTable state={state} />
            <LeaseTable state={state} />
          </>
        )}
      </Loaded>
    </>
  );
}

function InstanceTable({ state }: { state: Instances }) {
  return (
    <Card title={texts.processes}>
      <table class="table">
        <thead>
          <tr>
            <th>{texts.host}</th>
            <th class="desktop-only">{texts.started}</th>
            <th class="end">{texts.seen}</th>
          </tr>
        </thead>
        <tbody>
          {state.instances.map((instance) => (
            <tr key={instance.id}>
              <td>
                <span class="row wrap">
                  {texts.process(instance.host, instance.pid)}
                  {instance.is_this && <Badge tone="good">{texts.this}</Badge>}
                </span>
                <span class="sub mono">{instance.id}</span>
              </td>
              <td class="desktop-only secondary">
                <Time at={instance.started_at} />
              </td>
              <td class="end secondary">
                <Time at={instance.seen_at} isRelative />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function LeaseTable({ state: { leases, instances } }: { state: Instances }) {
  const hosts = new Map(instances.map(({ id, host, pid }) => [id, texts.process(host, pid)]));
  return (
    <Card title={texts.jobs}>
      {leases.length === 0 ? (
        <Empty icon="server" title={texts.noLeasesTitle}>
          {texts.noLeases}
        </Empty>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th>{texts.job}</th>
              <th>{texts.runBy}</th>
              <th class="end desktop-only">{texts.renewed}</th>
            </tr>
          </thead>
          <tbody>
            {leases.map((lease) => (
              <tr key={lease.name}>
                <td>{lease.name}</td>
                <td class="secondary">
                  {lease.is_held ? (hosts.get(lease.instance_id ?? '') ?? lease.instance_id ?? texts.unknown) : texts.notHeld}
                </td>
                <td class="end desktop-only secondary">{lease.renewed_at !== null && <Time at={lease.renewed_at} isRelative />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
