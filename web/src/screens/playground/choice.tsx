import { Segments, type SegmentsProps } from '../../parts/segments.tsx';

/** A choice with its name above. */
export function Choice<Value extends string>(props: SegmentsProps<Value>) {
  return (
    <div class="field">
      <span class="label" aria-hidden="true">
        {props.label}
      </span>
      <div class="row">
        <Segments {...props} />
      </div>
    </div>
  );
}
