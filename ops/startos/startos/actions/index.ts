import { sdk } from '../sdk';
import { acceptRestore } from './accept-restore';
import { createLoginLink } from './create-login-link';
import { setPublicUrl } from './set-public-url';

export const actions = sdk.Actions.of().addAction(setPublicUrl).addAction(createLoginLink).addAction(acceptRestore);
