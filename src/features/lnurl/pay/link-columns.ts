import type { SqlValue } from '../../../core/db/database.ts';
import { descriptionHash } from '../description-hash.ts';
import { type LinkSettings, metadataOf } from './link-settings.ts';
import { metadataText } from './metadata.ts';

/** The settings as columns, in the order of the statements. */
export interface LinkColumns {
  readonly parameters: readonly SqlValue[];
  readonly metadata: { readonly hash: string; readonly text: string };
}

export function linkColumns(settings: LinkSettings): LinkColumns {
  const { status, userLabel, shortDesc, longDesc, minMsat, maxMsat, commentLength, payerData, successAction, passThru, address } = settings;
  const text = metadataText(metadataOf(settings));
  const hash = descriptionHash(text);
  const texts = [status, userLabel, shortDesc, longDesc ?? null];
  const objects = [payerData ? JSON.stringify(payerData) : null, successAction ? JSON.stringify(successAction) : null, passThru ?? null];
  const parameters = [...texts, minMsat, maxMsat, commentLength, ...objects, address?.domain ?? null, address?.name ?? null, hash];
  return { parameters, metadata: { hash, text } };
}
