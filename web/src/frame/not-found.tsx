import { t } from '../texts/texts.ts';

export function NotFoundScreen() {
  return (
    <>
      <h1>{t.common.notFoundTitle}</h1>
      <p>{t.common.notFound}</p>
    </>
  );
}
