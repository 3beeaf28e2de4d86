import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Sheet } from '../../parts/sheet.tsx';
import { money } from '../../texts/en-money.ts';
import type { WalletSheetProps } from '../wallet/sheets.tsx';
import { InvoiceView } from './invoice-view.tsx';
import { NewInvoice } from './new-invoice.tsx';
import './receive.css';

/** `/wallets/:id/receive` creates an invoice; `/wallets/:id/receive/:lntx` shows it until it is paid, has expired or is cancelled. */
export function ReceiveSheet({ walletId, wallet, rest, onClose }: WalletSheetProps) {
  const [, navigate] = useLocation();
  const [receivableMsat, setReceivableMsat] = useState<number | null>(null);
  const form = `/wallets/${walletId}/receive`;
  return (
    <Sheet title={money.receive.title} onClose={onClose}>
      {rest === '' ? (
        <NewInvoice
          walletId={walletId}
          wallet={wallet}
          onCreated={(id, receivable) => {
            setReceivableMsat(receivable);
            navigate(`${form}/${id}`, { replace: true });
          }}
        />
      ) : (
        <InvoiceView
          key={rest}
          id={rest}
          receivableMsat={receivableMsat}
          wallet={wallet}
          onNew={() => navigate(form, { replace: true })}
          onClose={onClose}
        />
      )}
    </Sheet>
  );
}
