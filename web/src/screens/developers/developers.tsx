import { useSearchParams } from 'wouter-preact';
import { SERVICE_URL } from '../../base-path.ts';
import { Card } from '../../parts/card.tsx';
import { CopyButton, CopyText } from '../../parts/copy.tsx';
import { Details } from '../../parts/details.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useWalletNames, WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';
import { type Language, SNIPPET_NAMES, type SnippetName, snippetsOf } from './snippets.ts';
import './developers.css';

const LANGUAGES: readonly { readonly value: Language; readonly label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'javascript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
];

/** The address of the API, and requests to copy for one of the person's wallets. */
export function DevelopersScreen() {
  const [search, setSearch] = useSearchParams();
  const wallets = useWalletNames();
  const wallet = search.get('wallet') ?? wallets[0]?.value ?? 'wal_…';
  const language = LANGUAGES.find(({ value }) => value === search.get('language'))?.value ?? 'curl';
  const snippets = snippetsOf(language, { url: SERVICE_URL, wallet });

  function choose(name: 'language' | 'wallet', value: string) {
    setSearch((previous) => ({ ...Object.fromEntries(previous), [name]: value }), { replace: true });
  }

  return (
    <>
      <PageHead title={t.developers.title} />
      <Card title={t.developers.api} isPadded>
        <div class="stack">
          <CopyText text={SERVICE_URL} label={t.developers.copyAddress} />
          <p class="secondary">{t.developers.apiText}</p>
          <Details
            entries={[
              [t.developers.reference, <Page key="docs" path="/docs" />],
              [t.developers.openapi, <Page key="openapi" path="/openapi.json" />],
              [t.developers.health, <Page key="readyz" path="/readyz" />],
            ]}
          />
        </div>
      </Card>
      <Card
        title={t.developers.requests}
        actions={
          <Segments label={t.developers.language} value={language} options={LANGUAGES} onChange={(value) => choose('language', value)} />
        }
        isPadded
      >
        <div class="stack">
          <WalletSelect label={t.developers.wallet} value={wallet} onValue={(value) => choose('wallet', value)} />
          {language === 'javascript' && <p class="small secondary">{t.developers.client}</p>}
          {SNIPPET_NAMES.map((name) => (
            <Snippet key={name} name={name} code={snippets[name]} />
          ))}
        </div>
      </Card>
      <Card title={t.developers.webhooks} isPadded>
        <div class="stack">
          <p class="secondary">{t.developers.webhooksText}</p>
          <Details entries={t.developers.headers} />
        </div>
      </Card>
      <Card title={t.developers.lnurl} isPadded>
        <Details entries={t.developers.lnurlPaths} />
      </Card>
    </>
  );
}

/** A page of the service that is not a screen of the dashboard. */
function Page({ path }: { path: string }) {
  return <a href={SERVICE_URL + path}>{SERVICE_URL + path}</a>;
}

function Snippet({ name, code }: { name: SnippetName; code: string }) {
  const { title, text } = t.developers.snippets[name];
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
        <CopyButton text={code} label={t.developers.copySnippet(title)} />
      </div>
    </section>
  );
}
