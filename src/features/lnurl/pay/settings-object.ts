import { type Static, Type } from 'typebox';
import { MAX_MSAT, type Msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { ChangedLabel, choice, described, memoText, PassThru, passThruText, plainText, UserLabel } from '../../../http/fields.ts';
import type { LinkChanges } from './link-settings.ts';
import { MAX_IMAGE_LENGTH } from './metadata.ts';

const SendableMsat = Type.Integer({ minimum: 1000, maximum: MAX_MSAT, unit: 'millisatoshis' });
const ShortDesc = Type.String({ minLength: 1, maxLength: 639 });

const linkFields = {
  lnurlp_minSendable_msat: Type.Optional(
    described(SendableMsat, 'The smallest payment in millisatoshis, at least 1000. Default of a new link: 1000'),
  ),
  lnurlp_maxSendable_msat: Type.Optional(
    described(SendableMsat, 'The largest payment in millisatoshis. Default of a new link: 100000000000, one bitcoin'),
  ),
  lnurlp_short_desc: Type.Optional(
    described(ShortDesc, 'What payers read before they pay, at most 639 bytes in UTF-8. Default of a new link: `Lightning payment`'),
  ),
  lnurlp_long_desc: Type.Optional(
    Type.String({ maxLength: 2000, clearable: true, description: 'A longer text for payers (LUD-20). null or an empty text removes it' }),
  ),
  lnurlp_image: Type.Optional(
    Type.String({
      maxLength: MAX_IMAGE_LENGTH,
      clearable: true,
      description: `An image for payers: PNG or JPEG in base64, at most ${MAX_IMAGE_LENGTH} characters. null or an empty text removes it`,
    }),
  ),
  lnurlp_commentAllowed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 500,
      unit: 'characters',
      description: "The maximum length of a payer's comment (LUD-12), in characters; 0: no comments. Default of a new link: 255",
    }),
  ),
  lnurlp_payerData: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Which data payers may or must send (LUD-18): `name`, `email`, `identifier`, `pubkey`, each with `{"mandatory": true}` or ' +
          '`{"mandatory": false}`. `{}` removes it',
        examples: [{ name: { mandatory: false } }],
      },
    ),
  ),
  lnurlp_successAction: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'What payers see after they have paid: `{"tag": "message", "message"}` or `{"tag": "url", "description", "url"}` (LUD-09), with a ' +
          'URL of this service, or `{"tag": "aes", "description", "text"}` (LUD-10), whose text only the payer can read. `{}` removes it',
        examples: [{ tag: 'message', message: 'Thank you' }],
      },
    ),
  ),
  lnurlp_identifier: Type.Optional(
    Type.String({
      maxLength: 64,
      clearable: true,
      description:
        'The name of a Lightning address: a-z, 0-9, `-`, `_` and `.`. It is unique in its domain and stays reserved for the account. null or ' +
        'an empty text removes it from the link',
      examples: ['alma'],
    }),
  ),
  lnurlp_domain: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'The domain of the Lightning address: the host of PUBLIC_URL, which is the default, or one of ADDRESS_DOMAINS',
    }),
  ),
  passThru: Type.Optional(
    described(
      PassThru,
      'A JSON object of your own, at most 900 bytes. Each payment of the link gets it in its `passThru`. `{}` removes it',
    ),
  ),
};

export const LinkBody = Type.Object(
  { ...linkFields, user_label: Type.Optional(UserLabel) },
  {
    additionalProperties: false,
    examples: [{ lnurlp_minSendable_msat: 1000, lnurlp_maxSendable_msat: 5_000_000, lnurlp_short_desc: 'tips', lnurlp_identifier: 'alma' }],
  },
);

export const LinkChangeBody = Type.Object(
  {
    ...linkFields,
    user_label: Type.Optional(ChangedLabel),
    status: Type.Optional(choice(['active', 'inactive'], { description: '`inactive`: the link cannot be paid' })),
  },
  { additionalProperties: false, examples: [{ lnurlp_short_desc: 'tips', status: 'active' }] },
);

/** With a comment and data of the payer, `passThru` has at most 4 kB. */
const PASS_THRU_BYTES = 900;

/** @throws Refusal naming the field. */
export function toChanges(body: Static<typeof LinkChangeBody>): LinkChanges {
  const passThru = passThruText(body.passThru);
  if (passThru !== undefined && Buffer.byteLength(passThru) > PASS_THRU_BYTES)
    throw new Refusal('validation_failed', `\`passThru\` of a pay link must be at most ${PASS_THRU_BYTES} bytes of JSON.`);
  const { lnurlp_short_desc: shortDesc } = body;
  const text = (name: 'user_label' | 'lnurlp_long_desc') => (body[name] === undefined ? undefined : plainText(name, body[name]));
  return {
    status: body.status,
    userLabel: text('user_label'),
    shortDesc: shortDesc === undefined ? undefined : memoText(shortDesc, 'lnurlp_short_desc'),
    longDesc: text('lnurlp_long_desc'),
    image: body.lnurlp_image,
    minMsat: body.lnurlp_minSendable_msat as Msat | undefined,
    maxMsat: body.lnurlp_maxSendable_msat as Msat | undefined,
    commentLength: body.lnurlp_commentAllowed,
    payerData: body.lnurlp_payerData,
    successAction: body.lnurlp_successAction,
    passThru,
    name: body.lnurlp_identifier,
    domain: body.lnurlp_domain,
  };
}
