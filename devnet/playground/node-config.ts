import { MaxDustHTLCExposure, UserConfig } from 'lightningdevkit';

/** What a node charges for forwarding: 1 sat and 0.01 %. */
const FORWARDING_BASE_MSAT = 1_000;
const FORWARDING_PPM = 100;
const MAX_CHANNEL_SAT = 21_000_000n * 100_000_000n;

/** LDK's defaults suit small channels between strangers; these lift every limit that a playground would run into. */
export function nodeConfig(): UserConfig {
  const config = UserConfig.constructor_default();
  const handshake = config.get_channel_handshake_config();
  handshake.set_minimum_depth(1);
  handshake.set_announce_for_forwarding(true);
  handshake.set_max_inbound_htlc_value_in_flight_percent_of_channel(100);
  handshake.set_our_max_accepted_htlcs(483);
  handshake.set_our_htlc_minimum_msat(1n);
  config.set_channel_handshake_config(handshake);
  const limits = config.get_channel_handshake_limits();
  // A larger channel than this is refused by the peer without a word.
  limits.set_max_funding_satoshis(MAX_CHANNEL_SAT);
  config.set_channel_handshake_limits(limits);
  const channel = config.get_channel_config();
  // By default a dozen tiny payments in flight would already be too much dust.
  channel.set_max_dust_htlc_exposure(MaxDustHTLCExposure.constructor_fixed_limit_msat(MAX_CHANNEL_SAT));
  channel.set_forwarding_fee_base_msat(FORWARDING_BASE_MSAT);
  channel.set_forwarding_fee_proportional_millionths(FORWARDING_PPM);
  config.set_channel_config(channel);
  return config;
}
