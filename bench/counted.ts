/** A placeholder in requests. The load generator replaces it with a 12-digit number, different in every request. */
export const COUNTED = '############';
