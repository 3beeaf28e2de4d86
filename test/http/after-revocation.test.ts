import { onFakeNodeWithSqlite } from '../support/app.ts';
import { SETTINGS, testEndedRights } from './access/after-revocation.ts';

// The thorough test is the same on both databases.
onFakeNodeWithSqlite('a right that ends after the request was accepted', testEndedRights, SETTINGS);
