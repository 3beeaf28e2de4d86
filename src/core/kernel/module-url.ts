import { extname } from 'node:path';

/** Returns the URL of a module below the folder of `base`, for a worker thread or another process: `.ts` in a clone, `.js` in the package. */
export function moduleUrl(name: string, base: string): URL {
  return new URL(`./${name}${extname(base)}`, base);
}
