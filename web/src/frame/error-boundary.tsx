import { Component, type ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { t } from '../texts/texts.ts';

interface Props {
  /** The address of the screen: another one is tried again. */
  readonly place: string;
  readonly children: ComponentChildren;
}

/** Shows a defect of a screen in its place; the frame keeps working. */
export class ErrorBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  override componentDidUpdate(previous: Props): void {
    if (previous.place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render({ children }: Props) {
    if (this.state.error === undefined) return children;
    return (
      <Note
        tone="error"
        action={
          <Button size="small" onClick={() => location.reload()}>
            {t.common.reload}
          </Button>
        }
      >
        <h1>{t.common.brokenTitle}</h1>
        <p>{t.common.broken}</p>
      </Note>
    );
  }
}
