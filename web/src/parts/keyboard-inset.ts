import './keyboard-inset.css';

/**
 * Sets `--keyboard` to the height of the open sheet that the keyboard of the device covers. iOS makes only the visual
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
  // When the page is zoomed in, the difference is not caused by a keyboard.
  const isCovered = sheet !== null && view !== null && view.scale < 1.01;
  const covered = isCovered ? Math.round(sheet.getBoundingClientRect().bottom - view.offsetTop - view.height) : 0;
  document.documentElement.style.setProperty('--keyboard', `${Math.max(covered, 0)}px`);
}
