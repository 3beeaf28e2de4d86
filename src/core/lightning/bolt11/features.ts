/** A feature bit that is set in an invoice's `9` field. */
export interface Bolt11Feature {
  readonly bit: number;
  /** The name in BOLT9, or `unknown`. */
  readonly name: string;
  /** The payer must support even bits; odd bits are optional. */
  readonly required: boolean;
}

/** Feature names by the even bit of each pair. Source: BOLT9. */
const NAMES: Readonly<Record<number, string>> = {
  0: 'option_data_loss_protect',
  4: 'option_upfront_shutdown_script',
  6: 'gossip_queries',
  8: 'var_onion_optin',
  10: 'gossip_queries_ex',
  12: 'option_static_remotekey',
  14: 'payment_secret',
  16: 'basic_mpp',
  18: 'option_support_large_channel',
  // The first form of anchors, which BOLT9 no longer has. Invoices of older nodes require it, and it does not concern their payer.
  20: 'option_anchor_outputs',
  22: 'option_anchors',
  24: 'option_route_blinding',
  26: 'option_shutdown_anysegwit',
  28: 'option_dual_fund',
  34: 'option_quiesce',
  36: 'option_attribution_data',
  38: 'option_onion_messages',
  42: 'option_provide_storage',
  44: 'option_channel_type',
  46: 'option_scid_alias',
  48: 'option_payment_metadata',
  50: 'option_zeroconf',
  60: 'option_simple_close',
};

const UNKNOWN = 'unknown';

/**
 * Returns the feature bits that are set, lowest first. The words form one big-endian number whose lowest bit is bit 0.
 * Source: BOLT11, "Feature Bits".
 */
export function readFeatures(words: readonly number[]): Bolt11Feature[] {
  const features: Bolt11Feature[] = [];
  words.toReversed().forEach((word, index) => {
    for (let offset = 0; offset < 5; offset++) {
      const bit = index * 5 + offset;
      if ((word >> offset) & 1) features.push({ bit, name: NAMES[bit - (bit % 2)] ?? UNKNOWN, required: bit % 2 === 0 });
    }
  });
  return features;
}

/** Returns the bits that the payee requires and BOLT9 does not define. A payer must reject such an invoice (BOLT11, "Tagged Fields"). */
export function unknownRequiredBits(features: readonly Bolt11Feature[]): number[] {
  return features.filter((feature) => feature.required && feature.name === UNKNOWN).map((feature) => feature.bit);
}
