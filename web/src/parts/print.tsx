import { type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { print as texts } from '../texts/en-print.ts';
import { Button, type ButtonProps } from './button.tsx';
import { formatExactTime } from './format-time.ts';
import './print.css';

export interface PrintButtonProps extends Pick<ButtonProps, 'kind' | 'size'> {
  readonly label: string;
  /** What is printed, in place of the page. */
  readonly children: ComponentChildren;
}

/** A button that prints a sheet. The printing of the browser prints the same sheet while the button is on the page. */
export function PrintButton({ label, children, ...look }: PrintButtonProps) {
  const [sheet] = useState(() => document.createElement('div'));
  useEffect(() => {
    sheet.className = 'print-sheet';
    document.body.append(sheet);
    return () => {
      render(null, sheet);
      sheet.remove();
    };
  }, []);
  useEffect(() => {
    render(
      <>
        {children}
        <footer>{texts.printed(location.host, formatExactTime(Date.now()))}</footer>
      </>,
      sheet,
    );
  });
  return (
    <Button {...look} onClick={() => printSheet(sheet)}>
      {label}
    </Button>
  );
}

/** Prints this sheet, if a page has several. */
function printSheet(sheet: HTMLElement): void {
  for (const other of document.querySelectorAll('.print-sheet')) other.classList.toggle('chosen', other === sheet);
  window.print();
}
