import { storeJson } from '../fileModels/store.json';
import { sdk } from '../sdk';

const { InputSpec, Value } = sdk;

const inputSpec = InputSpec.of({
  publicUrl: Value.text({
    name: 'Address',
    description: 'The address from the Interfaces of Satchel under which others reach it. Links and Lightning addresses contain it.',
    required: true,
    default: null,
    placeholder: 'https://satchel.example.com',
    patterns: [{ regex: '^https?://[^ /]+(/[^ ?#]*)?$', description: 'It must be the address of a web page, without ? and #.' }],
  }),
});

/** Sets PUBLIC_URL. */
export const setPublicUrl = sdk.Action.withInput(
  'set-public-url',
  {
    name: 'Set address',
    description: 'Set the address of the dashboard, of links and of Lightning addresses',
    warning: null,
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  inputSpec,
  async () => ({ publicUrl: (await storeJson.read((store) => store.publicUrl).once()) ?? undefined }),
  async ({ effects, input }) => storeJson.merge(effects, { publicUrl: input.publicUrl }),
);
