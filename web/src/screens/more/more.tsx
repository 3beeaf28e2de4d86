import { Entry, Navigation } from '../../frame/navigation.tsx';
import { Person } from '../../frame/person.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { phone } from '../../texts/en-phone.ts';
import { t } from '../../texts/texts.ts';
import { NotificationsCard } from '../settings/notifications.tsx';
import './more.css';

/** `/more`: every page that the person may open, with what waits there, and the end of the session. For phones, whose bar has room for five. */
export function MoreScreen() {
  return (
    <>
      <PageHead title={t.navigation.more} />
      <nav class="more" aria-label={phone.allPages}>
        <Navigation>
          <Entry entry={{ path: '/contacts', label: phone.contacts.title, icon: 'users' }} />
        </Navigation>
      </nav>
      <NotificationsCard />
      <div class="more-person">
        <Person hasText />
      </div>
    </>
  );
}
