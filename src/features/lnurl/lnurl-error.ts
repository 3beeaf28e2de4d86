import { Type } from 'typebox';

/** The error of the public LNURL routes. */
export const LnurlError = Type.Object(
  { status: Type.Literal('ERROR', { description: 'Always `ERROR`' }), reason: Type.String({ description: 'The reason, for people' }) },
  { title: 'LnurlError', description: 'The request was rejected, in the form of LNURL' },
);
