import { type Static, Type } from 'typebox';
import { type Contacts, MAX_CONTACT_NAME, MAX_CONTACTS } from '../../core/accounts/contacts.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { CsvListQuery, sendList } from '../../http/responses/list.ts';
import { namedObject } from '../../http/responses/response-types.ts';

const ContactObject = namedObject('Contact', {
  id: Type.String({ description: 'The id of the contact, `cont_…`' }),
  account_id: Type.String({ description: 'The account that it belongs to' }),
  name: Type.String({ description: 'The name' }),
  ln_address: Type.String({ description: 'The Lightning address, in lower case' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
});

// A character may be two units of UTF-16.
const Name = Type.String({ minLength: 1, maxLength: 2 * MAX_CONTACT_NAME, description: `The name: 1 to ${MAX_CONTACT_NAME} characters` });
const Address = Type.String({ minLength: 3, maxLength: 330, description: 'A Lightning address. It is not looked up' });

const OF_ACCOUNT = { tags: ['Wallets'], ...requires('account') };
const OF_CONTACT = { ...OF_ACCOUNT, params: Type.Object({ id: Type.String({ description: 'The id of the contact, `cont_…`' }) }) };

const listSchema = {
  ...OF_ACCOUNT,
  operationId: 'listContacts',
  summary: 'List the contacts of the account',
  querystring: CsvListQuery,
  response: { 200: Type.Array(ContactObject) },
};

const addSchema = {
  ...OF_ACCOUNT,
  ...MANAGES,
  operationId: 'addContact',
  summary: 'Add a contact',
  description: `An account has up to ${MAX_CONTACTS} contacts, each with an address of its own.`,
  body: requestBody({ name: Name, ln_address: Address }),
  response: { 201: ContactObject },
};

const changeSchema = {
  ...OF_CONTACT,
  ...MANAGES,
  operationId: 'updateContact',
  summary: 'Rename a contact, or change its address',
  body: requestBody({ name: Type.Optional(Name), ln_address: Type.Optional(Address) }),
  response: { 200: ContactObject },
};

const deleteSchema = {
  ...OF_CONTACT,
  ...MANAGES,
  operationId: 'deleteContact',
  summary: 'Delete a contact',
  description: 'Returns what it was.',
  response: { 200: ContactObject },
};

/** The receivers that the people of an account have stored. */
export function contactRoutes(app: App, { access, runIdempotent, contacts }: RouteContext & { readonly contacts: Contacts }): void {
  app.get('/v1/contacts', { schema: listSchema, config: { closedQuery: true } }, async (request, reply) =>
    sendList(request, reply, contacts.list(await access.account(request)), (contact): Static<typeof ContactObject> => contact),
  );

  app.post('/v1/contacts', { schema: addSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { name, ln_address } = request.body;
    const fields = { name: plainText('name', name), ln_address: plainText('ln_address', ln_address) };
    const contact = await runIdempotent(
      request,
      reply,
      { credential },
      {
        make: ({ rows }) => contacts.add(credential.key, fields, (id) => rows(id)),
        replay: (id) => contacts.find(credential.key.accountId, id),
      },
    );
    return reply.code(201).send(contact);
  });

  app.patch('/v1/contacts/:id', { schema: changeSchema }, async (request) => {
    const { key } = await access.secretApiKey(request);
    const { name, ln_address } = request.body;
    return contacts.change(key, request.params.id, {
      ...(name !== undefined && { name: plainText('name', name) }),
      ...(ln_address !== undefined && { ln_address: plainText('ln_address', ln_address) }),
    });
  });

  app.delete('/v1/contacts/:id', { schema: deleteSchema }, async (request) => {
    const { key } = await access.secretApiKey(request);
    return contacts.remove(key, request.params.id);
  });
}
