import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.tsx';
import { Segments } from '../../parts/segments.tsx';
import { setUnit, useUnit } from '../../parts/unit-setting.ts';
import { t } from '../../texts/texts.ts';

type Theme = 'system' | 'light' | 'dark';

/** What this browser remembers: the theme and the unit of amounts. */
export function AppearanceCard() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const unit = useUnit();

  function choose(chosen: Theme) {
    setTheme(chosen);
    applyTheme(chosen);
  }

  return (
    <Card title={t.settings.appearance} isPadded>
      <div class="stack">
        <div class="row wrap">
          <span>{t.settings.theme}</span>
          <span class="push">
            <Segments
              label={t.settings.theme}
              value={theme}
              options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t.settings.themes[value] }))}
              onChange={choose}
            />
          </span>
        </div>
        <div class="row wrap">
          <span>{t.settings.unit}</span>
          <span class="push">
            <Segments
              label={t.settings.unit}
              value={unit}
              options={(['sats', 'btc'] as const).map((value) => ({ value, label: t.common.units[value] }))}
              onChange={setUnit}
            />
          </span>
        </div>
        <p class="small secondary">{t.settings.appearanceHint}</p>
      </div>
    </Card>
  );
}

/** `web/public/theme.js` reads the same entry before the first paint. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem('theme');
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem('theme', theme);
    document.documentElement.dataset.theme = theme;
  }
}

function readTheme(): Theme {
  const theme = localStorage.getItem('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
