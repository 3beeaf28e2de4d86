import './keyboard-inset.css';

/**
 * Keeps the style sheets informed (`--keyboard`) of how much of the open sheet the keyboard of the device covers. iOS makes only the visual
 * viewport smaller. Other browsers make the sheet smaller (`interactive-widget` in index.html), so that nothing is covered.
 */
export function followKeyboard(): void {
  // Adding a listener again has no effect.
  visualViewport?.addEventListener('resize', measure);
  visualViewport?.addEventListener('scroll', measure);
  measure();
}

function measure(): void {
  const sheet = document.querySelector('dialog.sheet[open]');
  const view = visualViewport;
  // A page that is zoomed in is covered by nothing.
  const isCovered = sheet !== null && view !== null && view.scale < 1.01;
  const covered = isCovered ? Math.round(sheet.getBoundingClientRect().bottom - view.offsetTop - view.height) : 0;
  document.documentElement.style.setProperty('--keyboard', `${Math.max(covered, 0)}px`);
}
