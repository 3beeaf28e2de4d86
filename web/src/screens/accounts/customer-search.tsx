import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, type SearchResult } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { OBJECT_ICONS } from '../../frame/found-objects.ts';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { TYPING_MS } from '../../parts/use-typed.ts';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { found as names } from '../../texts/en-found.ts';

const SHOWN = 50;

/** The field that searches all accounts and their objects. `text` is that of the address. */
export function CustomerSearchBar({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const latest = useRef(onChange);
  latest.current = onChange;
  /** The text that this field has set in the address; another one comes from Back. */
  const sent = useRef(text);
  useEffect(() => {
    if (text === sent.current) return;
    sent.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed.trim() === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      latest.current(typed.trim());
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      class="input"
      type="search"
      aria-keyshortcuts="/"
      aria-label={texts.searchLabel}
      placeholder={texts.search}
      autocomplete="off"
      maxLength={8000}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** What a search in all accounts has found. Each result leads to its account. */
export function CustomerResults({ text }: { readonly text: string }) {
  const found = useResource(`customers ${text}`, (signal) =>
    api.account.search({ q: text, scope: 'service', 'per-page': SHOWN }, { signal }),
  );
  return (
    <Card title={texts.results}>
      <Loaded resource={found}>
        {(results) =>
          results.length === 0 ? (
            <Empty icon="search" title={texts.nothingFound}>
              {texts.searchHint}
            </Empty>
          ) : (
            <table class="table">
              <thead>
                <tr>
                  <th>{texts.found}</th>
                  <th class="desktop-only">{texts.matched}</th>
                  <th class="end">{texts.created}</th>
                </tr>
              </thead>
              <tbody>
                {results.map((result) => (
                  <ResultRow key={result.id} result={result} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Card>
  );
}

function ResultRow({ result }: { readonly result: SearchResult }) {
  const { type, id, label, account_id, matched, created_at } = result;
  return (
    <tr class="clickable">
      <td>
        <div class="row">
          <Icon name={OBJECT_ICONS[type] ?? 'search'} />
          <div class="shrink">
            <Link class="name" href={`/accounts/${account_id}`}>
              {label === '' ? <span class="mono">{id}</span> : <Foreign text={label} />}
            </Link>
            <span class="sub">{names.types[type] ?? type}</span>
          </div>
        </div>
      </td>
      <td class="desktop-only secondary">{texts.matches[matched] ?? matched}</td>
      <td class="end secondary">
        <Time at={created_at} />
      </td>
    </tr>
  );
}
