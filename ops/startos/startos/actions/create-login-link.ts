import { satchel } from '../command';
import { sdk } from '../sdk';

const { InputSpec, Value } = sdk;

const inputSpec = InputSpec.of({
  account: Value.text({
    name: 'Account',
    description: 'The id of the account (acc_…). Leave it empty if there is only one.',
    required: false,
    default: null,
    patterns: [{ regex: '^acc_[0-9A-Za-z]+$', description: 'It must be the id of an account.' }],
  }),
});

/** Creates a link to set e-mail and password of an account. */
export const createLoginLink = sdk.Action.withInput(
  'create-login-link',
  {
    name: 'Create login link',
    description: 'Create a link to set e-mail and password of an account. Set the address first.',
    warning: null,
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  inputSpec,
  async () => undefined,
  async ({ effects, input }) => ({
    version: '1',
    title: 'Login link',
    message: 'It works once, and expires after seven days.',
    result: {
      type: 'single',
      value: await satchel(effects, 'login-link', ...(input.account ? [input.account] : [])),
      masked: true,
      copyable: true,
      qr: false,
    },
  }),
);
