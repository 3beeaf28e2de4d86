/** In a request under load: stands for twelve digits that are others in every request. */
export const COUNTED = '############';
