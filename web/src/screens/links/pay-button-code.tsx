import { CopyButton } from '../../parts/copy.tsx';
import { payers as texts } from '../../texts/en-payers.ts';

/** The HTML that shows a button of a pay link on another site. */
export function PayButtonCode({ pageUrl }: { pageUrl: string }) {
  const code = payButtonCode(pageUrl);
  return (
    <section class="stack tight">
      <h3>{texts.button}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <pre class="code" tabIndex={0}>
        {code}
      </pre>
      <CopyButton text={code} label={texts.copyCode} hasText kind="plain" />
      <p class="small secondary">{texts.buttonHint}</p>
    </section>
  );
}

/** Both URLs have only characters that HTML attributes may contain. */
export function payButtonCode(pageUrl: string): string {
  const service = pageUrl.slice(0, pageUrl.lastIndexOf('/pay/'));
  return `<a class="satchel-pay" href="${pageUrl}">${texts.buttonText}</a>\n<script async src="${service}/pay.js"></script>`;
}
