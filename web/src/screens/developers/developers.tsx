import { SERVICE_URL } from '../../base-path.ts';
import { Card } from '../../parts/card.tsx';
import { CopyButton, CopyText } from '../../parts/copy.tsx';
import { Details } from '../../parts/details.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useChosenWallet } from '../../parts/wallet-names.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { developers as texts } from '../../texts/en-developers.ts';
import { type Language, SNIPPET_NAMES, type SnippetName, snippetsOf } from './snippets.ts';
import './developers.css';

const LANGUAGES: readonly { readonly value: Language; readonly label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'javascript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
];

/** The address of the API, and requests to copy for one of the person's wallets. */
export function DevelopersScreen() {
  const [search, change] = useFilters();
  const walletId = useChosenWallet(search);
  const language = LANGUAGES.find(({ value }) => value === search.get('language'))?.value ?? 'curl';
  const snippets = snippetsOf(language, { url: SERVICE_URL, wallet: walletId || 'wal_…' });

  return (
    <>
      <PageHead title={texts.title} />
      <Card title={texts.api} isPadded>
        <div class="stack">
          <CopyText text={SERVICE_URL} label={texts.copyAddress} />
          <p class="secondary">{texts.apiText}</p>
          <Details
            entries={[
              [texts.reference, <Page key="docs" path="/docs" />],
              [texts.openapi, <Page key="openapi" path="/openapi.json" />],
              [texts.health, <Page key="readyz" path="/readyz" />],
            ]}
          />
        </div>
      </Card>
      <Card
        title={texts.requests}
        actions={<Segments label={texts.language} value={language} options={LANGUAGES} onChange={(value) => change({ language: value })} />}
        isPadded
      >
        <div class="stack">
          <WalletSelect label={texts.wallet} value={walletId} onValue={(id) => change({ wallet: id })} />
          {language === 'javascript' && <p class="small secondary">{texts.client}</p>}
          {SNIPPET_NAMES.map((name) => (
            <Snippet key={name} name={name} code={snippets[name]} />
          ))}
        </div>
      </Card>
      <Card title={texts.webhooks} isPadded>
        <div class="stack">
          <p class="secondary">{texts.webhooksText}</p>
          <Details entries={texts.headers} />
        </div>
      </Card>
      <Card title={texts.lnurl} isPadded>
        <Details entries={texts.lnurlPaths} />
      </Card>
    </>
  );
}

/** A page of the service that is not a screen of the dashboard. */
function Page({ path }: { path: string }) {
  return <a href={SERVICE_URL + path}>{SERVICE_URL + path}</a>;
}

function Snippet({ name, code }: { name: SnippetName; code: string }) {
  const { title, text } = texts.snippets[name];
  return (
    <section class="stack tight">
      <div>
        <h3>{title}</h3>
        {text !== '' && <p class="small secondary">{text}</p>}
      </div>
      <div class="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
        <pre class="code" tabIndex={0}>
          {code}
        </pre>
        <CopyButton text={code} label={texts.copySnippet(title)} />
      </div>
    </section>
  );
}
