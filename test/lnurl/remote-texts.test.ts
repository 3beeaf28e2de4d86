import { describe, expect, it } from 'vitest';
import { shownReason, shownText } from '../../src/core/kernel/shown-text.ts';
import { readMetadata, readPayOffer } from '../../src/features/lnurl/remote/offers.ts';
import { withParameters } from '../../src/features/lnurl/remote/response.ts';

const DOMAIN = 'pay.example.com';

describe('texts of other services', () => {
  it.each([
    ['Amount too low', 'Amount too low'],
    ['a\u0000b\u001b[31mc\r\nd', 'a b [31mc d'],
    ['<script>alert(1)</script>no', 'alert(1) no'],
    ['<img src=x onerror="a">', ''],
    ['1 < 2 > 0', '1 0'],
    ['<<b>script>x', 'script x'],
    ['\u202Egnp.exe\u2066\u200B', 'gnp.exe'],
    ['x'.repeat(300), `${'x'.repeat(199)}…`],
    ['\ud800', '\ufffd'],
    [17, ''],
    [undefined, ''],
    [{}, ''],
  ])('L7: a reason %j is shown as %j', (reason, shown) => {
    expect(shownReason(reason)).toBe(shown);
  });

  it('cuts between characters and never inside of one', () => {
    expect(shownText('😀'.repeat(10), 4)).toBe('😀😀😀…');
    expect(shownText('😀'.repeat(4), 4)).toBe('😀😀😀😀');
  });

  it('keeps line breaks of long texts alone', () => {
    expect(shownText('a\r\n b\u0007\nc', 100, { keepLines: true })).toBe('a\nb\nc');
    expect(shownText('a\r\n b\nc', 100)).toBe('a   b c');
  });
});

describe('metadata', () => {
  const read = (entries: unknown) => readMetadata(DOMAIN, typeof entries === 'string' ? entries : JSON.stringify(entries)).description;

  it('has a text, a long text, an identifier and an image', () => {
    const entries = [
      ['text/plain', 'coffee'],
      ['text/long-desc', 'Beans\nof today'],
      ['text/identifier', 'bob@example.com'],
      ['image/png;base64', 'iVBORw0KGgo='],
      ['future', { any: 1 }],
    ];
    expect(read(entries)).toEqual({
      text: 'coffee',
      long_desc: 'Beans\nof today',
      identifier: 'bob@example.com',
      image: 'data:image/png;base64,iVBORw0KGgo=',
    });
  });

  it('leaves out what it cannot show, and bounds what it shows', () => {
    const entries = [
      ['text/plain', 'x'.repeat(5000)],
      ['text/long-desc', 17],
      ['image/png;base64', '"><script>'],
      ['image/jpeg;base64', 'A'.repeat(136_537)],
    ];
    const { text, ...rest } = read(entries);
    expect(text).toHaveLength(1000);
    expect(rest).toEqual({ long_desc: null, identifier: null, image: null });
  });

  it.each([
    ['no JSON', 'coffee'],
    ['an object', '{}'],
    ['no arrays in it', '["text/plain"]'],
    ['a first item that is no text', '[[1,"x"]]'],
    ['no text', '[["text/long-desc","x"]]'],
    ['a text that is none', '[["text/plain",{}]]'],
    ['too many entries', Array.from({ length: 101 }, () => ['text/plain', 'x'])],
    ['deeply nested arrays', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['200 kB', [['text/plain', 'x'.repeat(200_000)]]],
  ])('is refused with %s', (_, entries) => {
    expect(() => read(entries)).toThrow(/`metadata`/);
  });
});

describe('the parameters of a payee', () => {
  const VALID = {
    tag: 'payRequest',
    callback: 'https://pay.example.com/cb?id=1',
    minSendable: 1000,
    maxSendable: 5000,
    metadata: '[["text/plain","coffee"]]',
  };
  const read = (changes: object) => readPayOffer(DOMAIN, { ...VALID, ...changes });

  it('are read', () => {
    expect(read({ commentAllowed: 50, payerData: { name: { mandatory: true }, email: {}, x: 1, '<b>': {} } })).toMatchObject({
      minSendable: 1000,
      maxSendable: 5000,
      commentAllowed: 50,
      payerData: { name: { mandatory: true }, email: { mandatory: false } },
      metadata: VALID.metadata,
    });
    expect(read({})).toMatchObject({ commentAllowed: 0, payerData: null });
  });

  it.each([-1, 1.5, '50', null, {}, Number.MAX_VALUE])('accept no comment if commentAllowed is %j', (commentAllowed) => {
    expect(read({ commentAllowed }).commentAllowed).toBe(0);
  });

  it('bound a maximum beyond what the ledger holds', () => {
    expect(read({ maxSendable: 1e20 }).maxSendable).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['min above max', { minSendable: 5001 }],
    ['a negative minimum', { minSendable: -1 }],
    ['a fraction', { minSendable: 1000.5 }],
    ['a text as amount', { minSendable: '1000' }],
    ['no maximum', { maxSendable: undefined }],
    ['a maximum of 0', { minSendable: 0, maxSendable: 0 }],
    ['an infinite maximum', { maxSendable: Number.POSITIVE_INFINITY }],
    ['no callback', { callback: undefined }],
    ['a callback that is no URL', { callback: 'cb' }],
    ['a callback to a file', { callback: 'file:///etc/passwd' }],
    ['a callback with JavaScript', { callback: 'javascript:alert(1)' }],
    ['a callback with a line break', { callback: 'https://pay.example.com/\nx' }],
    ['a long callback', { callback: `https://pay.example.com/${'x'.repeat(4000)}` }],
    ['no tag', { tag: undefined }],
    ['an unknown tag', { tag: '<script>' }],
  ])('are refused with %s', (_, changes) => {
    expect(() => read(changes)).toThrow(
      expect.objectContaining({ type: 'lnurl_refused', message: expect.stringMatching(/^The response of pay\.example\.com /) }),
    );
  });

  it.each([null, 17, 'text', [], [VALID]])('are refused when the response is %j', (response) => {
    expect(() => readPayOffer(DOMAIN, response)).toThrow(/not a JSON object/);
  });

  it('are refused with the reason of an error', () => {
    const error = { status: 'error', reason: 'No <b>such</b> user' };
    for (const reason of [error.reason, `${error.reason}.`])
      expect(() => readPayOffer(DOMAIN, { ...error, reason })).toThrow(
        'pay.example.com refused: “No such user”. This request paid nothing.',
      );
    expect(() => readPayOffer(DOMAIN, { status: 'ERROR' })).toThrow('pay.example.com refused. This request paid nothing.');
  });

  it('of a link of another kind are refused with the remedy', () => {
    expect(() => read({ tag: 'withdrawRequest' })).toThrow(/lnurl\/pull/);
    expect(() => read({ tag: 'login' })).toThrow(/login link/);
  });
});

describe('a callback', () => {
  it.each([
    ['https://a.example/cb', 'https://a.example/cb?amount=1&comment=a%20%26%20b%23'],
    ['https://a.example/cb?', 'https://a.example/cb?amount=1&comment=a%20%26%20b%23'],
    ['https://a.example/cb?x=1&y=a%2Fb+c', 'https://a.example/cb?x=1&y=a%2Fb+c&amount=1&comment=a%20%26%20b%23'],
    ['https://a.example/cb?x#part', 'https://a.example/cb?x&amount=1&comment=a%20%26%20b%23'],
  ])('%s keeps its own query', (callback, url) => {
    expect(withParameters(new URL(callback), { amount: '1', comment: 'a & b#' })).toBe(url);
  });
});
