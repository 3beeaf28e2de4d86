import type { ComponentChildren } from 'preact';
import { api, type Epoch } from '../../api/client.ts';
import { readListPage } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { SERVICE_URL } from '../../base-path.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { usePages } from '../../parts/pages.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { formatCount } from '../../texts/count.ts';
import { t } from '../../texts/texts.ts';
import { OperatorTabs } from './operator-tabs.tsx';
import { TurnPages } from './turn-pages.tsx';

const texts = t.operator.proofs;
const REFRESH_MS = 60_000;
const PAGE = 50;

/** `/operator/proofs`: the published roots, with which each owner can check that the liabilities include the own balance. */
export function ProofsScreen() {
  const pages = usePages();
  const query = { count: 1, 'per-page': PAGE, ...(pages.after !== undefined && { after: pages.after }) };
  const epochs = useResource(
    `epochs ${pages.after ?? ''}`,
    (signal) => readListPage(async (options) => withIds(await api.proofs.listEpochs(query, options)), signal),
    { everyMs: REFRESH_MS },
  );
  return (
    <>
      <PageHead title={texts.title} />
      <OperatorTabs />
      <Loaded resource={epochs}>
        {({ items: list }) => {
          const [last] = list;
          if (!last)
            return (
              <Card>
                <Empty icon="server" title={texts.emptyTitle}>
                  {texts.empty}
                </Empty>
              </Card>
            );
          return (
            <>
              {pages.isFirst && <LastEpoch epoch={last} />}
              <EpochTable epochs={list}>
                <TurnPages pages={pages} page={epochs.data} perPage={PAGE} />
              </EpochTable>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** Epochs are numbered. */
function withIds(epochs: readonly Epoch[]) {
  return epochs.map((epoch) => ({ ...epoch, id: epoch.epoch }));
}

function LastEpoch({ epoch }: { epoch: Epoch }) {
  return (
    <Card title={texts.last} isPadded>
      <div class="stack">
        <div class="columns">
          <Stat name={texts.epoch}>{epoch.epoch}</Stat>
          <Stat name={texts.published}>
            <Time at={epoch.created_at} />
          </Stat>
          <Stat name={texts.total}>{formatMsat(epoch.total_msat)}</Stat>
          <Stat name={texts.wallets}>{formatCount(epoch.leaves)}</Stat>
        </div>
        <Identifier value={epoch.root} label={texts.copyRoot} />
        <p class="secondary">{texts.how}</p>
        <CopyText
          text={`KEY=wakr_… node docs/verify-proof.mjs ${epoch.root} <wallet id> "${SERVICE_URL}/v1/wallet/<wallet id>/proof?epoch=${epoch.epoch}"`}
          label={texts.copyCommand}
        />
      </div>
    </Card>
  );
}

function EpochTable({ epochs, children }: { epochs: readonly Epoch[]; children: ComponentChildren }) {
  return (
    <Card title={texts.all}>
      <table class="table">
        <thead>
          <tr>
            <th>{texts.epoch}</th>
            <th class="desktop-only">{texts.root}</th>
            <th class="end desktop-only">{texts.wallets}</th>
            <th class="end">{texts.total}</th>
          </tr>
        </thead>
        <tbody>
          {epochs.map((epoch) => (
            <tr key={epoch.epoch}>
              <td>
                {epoch.epoch}
                <span class="sub">
                  <Time at={epoch.created_at} />
                </span>
              </td>
              <td class="desktop-only mono tiny">{epoch.root}</td>
              <td class="end desktop-only number secondary">{formatCount(epoch.leaves)}</td>
              <td class="end number">{formatMsat(epoch.total_msat)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </Card>
  );
}
