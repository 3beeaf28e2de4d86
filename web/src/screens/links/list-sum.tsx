import { Msat } from '../../parts/amount.tsx';

/** The sum over all links of a list, on all of its pages. */
export function ListSum({ name, msat }: { name: string; msat: number }) {
  return (
    <span class="small secondary list-sum">
      {name} <Msat msat={msat} unit />
    </span>
  );
}
