import { render } from 'preact';
import { App } from './app.tsx';
import { neutralizeDirection } from './parts/foreign-direction.ts';
import { plainNumbers } from './parts/format-amount.ts';
import { code, direction } from './texts/texts.ts';
import './styles/tokens.css';
import './styles/base.css';
import './parts/table.css';

// Amounts are copied without the spaces that group their digits.
addEventListener('copy', (event) => {
  const text = getSelection()?.toString() ?? '';
  if (plainNumbers(text) === text) return;
  event.clipboardData?.setData('text/plain', plainNumbers(text));
  event.preventDefault();
});

neutralizeDirection();
Object.assign(document.documentElement, { lang: code, dir: direction });
render(<App />, document.body);
