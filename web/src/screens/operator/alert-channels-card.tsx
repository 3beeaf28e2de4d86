import { useState } from 'preact/hooks';
import type { TestAlertChannelRequest } from '../../../../client/satchel.js';
import { useAction } from '../../api/action.ts';
import { type AlertChannel, api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { desk } from '../../texts/en-desk.ts';
import { useAnchor } from './use-anchor.ts';

const texts = desk.notifications;
const REFRESH_MS = 15_000;

/** The channels that send alerts, what they have sent, and a test. The alert about a channel leads to it with `#notifications`. */
export function AlertChannelsCard() {
  const element = useAnchor('notifications');
  const channels = useResource('alert channels', (signal) => api.operator.listAlertChannels({}, { signal }), { everyMs: REFRESH_MS });
  return (
    <div ref={element} id="notifications">
      <Card title={texts.title} isPadded>
        <Loaded resource={channels}>
          {(list) =>
            list.length === 0 ? (
              <>
                <p>{texts.none}</p>
                <p class="small secondary">{texts.hint}</p>
              </>
            ) : (
              <div class="stack">
                {list.map((channel) => (
                  <ChannelRow key={channel.channel} channel={channel} onTested={channels.reload} />
                ))}
              </div>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function ChannelRow({ channel: shown, onTested }: { channel: AlertChannel; onTested: () => void }) {
  const { channel, recipient, last_sent_at: lastSentAt, failing_since: failingSince, failure } = shown;
  const [isSent, setIsSent] = useState(false);
  const idempotent = useIdempotent({ isRepeatable: true });
  const test = useAction(async () => {
    setIsSent(false);
    const request = { channel: channel as TestAlertChannelRequest['channel'] };
    const { status } = await idempotent((options) => api.operator.testAlertChannel(request, options));
    setIsSent(status === 'working');
    onTested();
  });
  return (
    <section class="stack" aria-label={texts.channels[channel] ?? channel}>
      <div class="row wrap">
        <div class="shrink">
          <b class="strong">{texts.channels[channel] ?? channel}</b> <Foreign text={recipient} />
          <p class="small secondary" role="status">
            {isSent ? (
              texts.sent
            ) : lastSentAt === null ? (
              texts.unused
            ) : (
              <>
                {texts.lastSent} <Time at={lastSentAt} />
              </>
            )}
          </p>
        </div>
        <div class="push">
          <Button size="small" disabled={test.isBusy} onClick={() => test.run()}>
            {texts.test}
          </Button>
        </div>
      </div>
      {failingSince !== null && (
        <Note tone="warning">
          {texts.failing} <Time at={failingSince} />. <Foreign text={failure ?? ''} />
        </Note>
      )}
      {test.error !== undefined && <Note tone="error">{test.error}</Note>}
    </section>
  );
}
