import type { NodeInfo } from './node.ts';

const REMEDY = 'The operator can allow hold invoices with HOLD_INVOICES=true';

/**
 * Returns what a node reports, with hold invoices only if the service offers them. `isOn` is the setting HOLD_INVOICES. Undefined: on the nodes
 * without a known risk.
 */
export function withHoldSetting(info: NodeInfo, isOn: boolean | undefined): NodeInfo {
  const { capabilities, holdInvoiceRisk: risk } = info;
  const reason = isOn === false ? 'HOLD_INVOICES=false' : isOn === undefined && risk !== undefined ? `${risk}. ${REMEDY}` : undefined;
  if (reason === undefined || !capabilities.holdInvoices) return info;
  return { ...info, capabilities: { ...capabilities, holdInvoices: false }, noHoldInvoices: reason };
}
