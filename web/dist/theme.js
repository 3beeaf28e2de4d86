// Runs before the first paint, so that the chosen theme does not flash. The setting is written by the settings screen.
(() => {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
