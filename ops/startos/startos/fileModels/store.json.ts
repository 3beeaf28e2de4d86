import { FileHelper, z } from '@start9labs/start-sdk';
import { sdk } from '../sdk';

const shape = z.object({ publicUrl: z.string().nullable().catch(null) });

/** What the user has chosen. */
export const storeJson = FileHelper.json({ base: sdk.volumes.startos, subpath: './store.json' }, shape);
