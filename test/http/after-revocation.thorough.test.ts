import { onFakeNode } from '../support/app.ts';
import { SETTINGS, testEndedRights } from './access/after-revocation.ts';

onFakeNode('a right that ends after the request was accepted', testEndedRights, SETTINGS);
