import { type Static, Type } from 'typebox';
import type { AccountDirectory } from '../../core/accounts/directory.ts';
import { MAX_NOTE, type Notes } from '../../core/accounts/notes.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import { CUSTOMER, CustomerParams, NEEDS_KEY } from './customer-route.ts';

const NoteObject = namedObject('AccountNote', {
  id: Type.String({ description: 'The id of the note, `note_…`' }),
  account_id: Type.String({ description: 'The account that it is about' }),
  note: Type.String({ description: 'The text' }),
  author: Type.String({ description: 'The account of the operator who added it' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
});

const DeletedNoteObject = namedObject('DeletedAccountNote', {
  id: Type.String({ description: 'The id of the note that was deleted' }),
});

const HIDDEN = 'The owner of the account never sees notes.';

const listSchema = {
  ...CUSTOMER,
  operationId: 'listAccountNotes',
  summary: 'List the notes of operators about an account',
  description: `Newest first. ${HIDDEN}`,
  querystring: ListQuery,
  response: { 200: Type.Array(NoteObject) },
};

const addSchema = {
  ...CUSTOMER,
  operationId: 'addAccountNote',
  summary: 'Add a note about an account',
  description: `${HIDDEN} The audit log records that it was added, without its text.`,
  body: requestBody({
    // A character may be two units of UTF-16.
    note: Type.String({ minLength: 1, maxLength: 2 * MAX_NOTE, description: `The text: 1 to ${MAX_NOTE} characters` }),
  }),
  response: { 201: NoteObject },
};

const deleteSchema = {
  ...CUSTOMER,
  operationId: 'deleteAccountNote',
  summary: 'Delete a note about an account',
  description: 'The audit log records that it was deleted, without its text.',
  params: Type.Object({ ...CustomerParams.properties, note: Type.String({ description: 'The id of the note, `note_…`' }) }),
  response: { 200: DeletedNoteObject },
};

type NoteRouteContext = RouteContext & { readonly directory: AccountDirectory; readonly notes: Notes };

/** The notes of operators about accounts. */
export function noteRoutes(app: App, { access, runIdempotent, directory, notes }: NoteRouteContext): void {
  app.get('/v1/accounts/:id/notes', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    const { id } = await directory.find(request.params.id);
    return sendList(request, reply, notes.list(id), (note): Static<typeof NoteObject> => note);
  });

  app.post('/v1/accounts/:id/notes', { schema: addSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id: accountId } = request.params;
    const text = plainText('note', request.body.note);
    if (text.trim() === '') throw new Refusal('validation_failed', '`note` must not be blank.');
    const order = { by: credential.key, origin: request.ip, reason: '' };
    const note = await runIdempotent(
      request,
      reply,
      { credential, objectId: accountId },
      { make: ({ rows }) => notes.add(accountId, text, order, (id) => rows(id)), replay: (id) => notes.find(accountId, id) },
    );
    return reply.code(201).send(note);
  });

  app.delete('/v1/accounts/:id/notes/:note', { schema: deleteSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id: accountId, note } = request.params;
    const order = { by: credential.key, origin: request.ip, reason: '' };
    return runIdempotent(
      request,
      reply,
      { credential, objectId: note },
      {
        async make({ rows }) {
          await notes.remove(accountId, note, order, rows(note));
          return { id: note };
        },
        replay: async (id) => ({ id }),
      },
    );
  });
}
