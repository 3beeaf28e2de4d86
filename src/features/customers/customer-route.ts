import { Type } from 'typebox';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';

export const CustomerParams = Type.Object({ id: Type.String({ description: 'The id of the account, `acc_…`' }) });

/** What the schemas of all routes about a customer have. Only operators may call them. */
export const CUSTOMER = { tags: ['Accounts'], ...requires('operator'), ...MANAGES, params: CustomerParams };

/** Each change by an operator has one effect. */
export const NEEDS_KEY = { needsIdempotencyKey: true };
