// The script of the pages for payers. Without it they work with forms, links and reloads.

const texts = JSON.parse(document.body.dataset.texts);
/** Puts values into a text. */
const fill = (text, ...values) => text.replaceAll(/\{(\d)\}/g, (_, index) => values[index]);
const NARROW_SPACE = '\u202f';
const group = (text) => text.replaceAll(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
const satsText = (sats) => `${group(String(sats))} ${sats === 1n ? 'sat' : 'sats'}`;

/** Returns decimal text in units of 10^-digits; undefined for other text. */
function unitsOf(text, digits) {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  return whole === undefined || fraction.length > digits ? undefined : BigInt(whole + fraction.padEnd(digits, '0'));
}

/** The same of a typed price. One mark in front of three digits groups them or begins decimals, as the language has it. */
function typedUnits(text, digits) {
  const plain = text.trim().replaceAll(/(?<=\d)[ '’\u00a0\u2009\u202f](?=\d{3})/g, '');
  const [, mark = texts.decimal] = /^[1-9]\d{0,2}([.,])\d{3}$/.exec(plain) ?? [];
  return mark === texts.decimal ? unitsOf(plain.replace(',', '.'), digits) : undefined;
}

/** The same rule as in the service: a price is rounded up to the next whole sat. */
function toSats(text, option) {
  const { rate, digits } = option?.dataset ?? {};
  if (rate === undefined)
    return /^(\d{1,16}|\d{1,3}([ ,.'’\u00a0\u2009\u202f]\d{3}){1,5})$/.test(text.trim()) ? BigInt(text.replaceAll(/\D/g, '')) : undefined;
  const [units, price] = [typedUnits(text, Number(digits)), unitsOf(rate, 8)];
  if (units === undefined || !price) return undefined;
  const divisor = 10n ** BigInt(digits) * price;
  return (units * 10n ** 16n + divisor - 1n) / divisor;
}

function startForm(form) {
  const amount = form.querySelector('#amount');
  if (!amount) return;
  const currency = form.querySelector('select');
  const button = form.querySelector('button[type=submit]');
  const error = form.querySelector('#amount-error');
  const output = form.querySelector('output');
  const option = () => currency?.selectedOptions[0];
  const inRange = (sats) => sats !== undefined && sats >= BigInt(amount.dataset.min) && sats <= BigInt(amount.dataset.max);
  const show = (message) => {
    error.hidden = message === '';
    error.textContent = message;
    if (message === '') amount.removeAttribute('aria-invalid');
    else amount.setAttribute('aria-invalid', 'true');
    amount.setAttribute('aria-describedby', message === '' ? 'amount-hint' : 'amount-error amount-hint');
  };
  const problem = () => {
    if (amount.value.trim() === '') return texts.enterAmount;
    const sats = toSats(amount.value, option());
    if (sats === undefined) return texts.notNumber;
    const limits = [amount.dataset.min, amount.dataset.max].map((one) => satsText(BigInt(one)));
    return inRange(sats) ? '' : fill(texts.outOfRange, ...limits);
  };
  const update = () => {
    const sats = toSats(amount.value, option());
    output.textContent = option()?.dataset.rate && sats !== undefined ? satsText(sats) : '';
    button.textContent = inRange(sats) ? fill(texts.pay, satsText(sats)) : texts.continue;
    if (!error.hidden) show(problem());
    for (const chip of form.querySelectorAll('.chip')) {
      const isChosen = chip.dataset.amount === amount.value && chip.href.endsWith(`currency=${currency?.value ?? 'sats'}`);
      if (isChosen) chip.setAttribute('aria-current', 'true');
      else chip.removeAttribute('aria-current');
    }
  };
  form.addEventListener('input', update);
  form.addEventListener('click', (event) => {
    const chip = event.target.closest('.chip');
    if (!chip) return;
    event.preventDefault();
    amount.value = chip.dataset.amount;
    if (currency) currency.value = new URL(chip.href).searchParams.get('currency');
    update();
  });
  form.addEventListener('submit', (event) => {
    const message = problem();
    if (message === '') return;
    event.preventDefault();
    show(message);
    amount.focus();
  });
  update();
}

const LOCALE = navigator.languages.find((tag) => tag.slice(0, 2) === document.documentElement.lang) ?? document.documentElement.lang;

/** Shows times in the zone of the browser. */
function localizeTimes(root) {
  for (const time of root.querySelectorAll('time')) {
    const timeStyle = time.dataset.short === undefined ? 'medium' : 'short';
    time.textContent = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle }).format(new Date(time.dateTime));
  }
}

function startCopying(root) {
  for (const button of root.querySelectorAll('[data-copy]')) {
    const source = root.querySelector(`#${button.dataset.copy}`);
    const label = button.querySelector('span');
    const text = label.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        label.textContent = texts.copied;
        announce(texts.copied);
      } catch {
        // Only secure pages may write to the clipboard. The payer can copy the selected text.
        getSelection().selectAllChildren(source);
        label.textContent = texts.selected;
      }
      setTimeout(() => {
        label.textContent = text;
      }, 2000);
    });
  }
  // Sharing needs a secure page outside of frames and a browser that supports it. The payer may close the list of apps without a choice.
  for (const button of root.querySelectorAll('[data-share]')) {
    button.hidden = navigator.share === undefined || parent !== self;
    button.addEventListener('click', () => navigator.share({ title: document.title, url: location.href }).catch(() => {}));
  }
  for (const button of root.querySelectorAll('[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}

function announce(text) {
  document.querySelector('#announcement').textContent = text;
}

let stopWatching = () => {};

/** Waits for the next status of the invoice, and then shows the page of that status. */
function watch(main) {
  const { status, source, expires } = main.dataset;
  if (status !== 'open' && status !== 'arriving' && status !== 'held') return;
  const left = main.querySelector('#left');
  const events = new EventSource(source);
  let timer;
  const tick = () => {
    const seconds = Math.ceil(Number(expires) - Date.now() / 1000);
    if (left && expires !== '')
      left.textContent =
        seconds < 3600
          ? fill(texts.left, `${Math.max(0, Math.floor(seconds / 60))}:${String(Math.max(0, seconds) % 60).padStart(2, '0')}`)
          : left.textContent;
    if (seconds <= 0 && status === 'open' && expires !== '' && seconds > -5) refresh();
  };
  events.onmessage = ({ data }) => {
    if (JSON.parse(data).status !== status) refresh();
  };
  events.onerror = () => {
    // The browser connects again, unless the service has refused.
    if (events.readyState === EventSource.CLOSED) timeout = setTimeout(refresh, 5000);
  };
  let timeout;
  if (status === 'open') timer = setInterval(tick, 1000);
  if (status === 'open' && Number(expires) - Date.now() / 1000 < 3600) tick();
  const onOnline = () => refresh();
  addEventListener('online', onOnline);
  stopWatching = () => {
    events.close();
    clearInterval(timer);
    clearTimeout(timeout);
    removeEventListener('online', onOnline);
  };
}

/** Reads the page again. A document is parsed without running anything in it. */
function refresh() {
  stopWatching();
  const request = new XMLHttpRequest();
  request.responseType = 'document';
  request.open('GET', location.href);
  request.onload = () => {
    const next = request.response?.querySelector('main');
    if (request.status !== 200 || !next) return retry();
    const previous = document.querySelector('main');
    const hadFocus = previous.contains(document.activeElement);
    const isNew = previous.dataset.status !== next.dataset.status;
    if (!isNew) return watch(previous);
    previous.replaceWith(next);
    start(next);
    if (hadFocus) next.focus();
    announce(next.dataset.announcement);
    if (next.dataset.status === 'settled') tellOpener('paid');
  };
  request.onerror = retry;
  request.send();
}

function retry() {
  const timeout = setTimeout(refresh, 5000);
  stopWatching = () => clearTimeout(timeout);
}

/** Tells the page that shows this one in a frame what happened. The message has nothing secret. */
function tellOpener(what) {
  if (parent !== window) parent.postMessage({ satchel: what }, '*');
}

function start(main) {
  localizeTimes(main);
  startCopying(main);
  const form = main.querySelector('form');
  if (form) startForm(form);
  watch(main);
}

addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') tellOpener('close');
});
start(document.querySelector('main'));
