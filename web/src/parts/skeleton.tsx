import './skeleton.css';

export interface SkeletonProps {
  readonly width?: string;
  readonly height?: string;
}

/** A grey area of the size of what is being loaded, in CSS lengths. */
export function Skeleton({ width = '100%', height = '1em' }: SkeletonProps) {
  return <span class="skeleton" style={{ width, height }} />;
}

/** The rows of a list that is being loaded. */
export function SkeletonRows({ count = 5 }: { count?: number }) {
  return (
    <div class="skeleton-rows">
      {Array.from({ length: count }, (_, index) => (
        <div key={index}>
          <Skeleton width={`${36 - (index % 3) * 6}%`} />
          <Skeleton width="12%" />
        </div>
      ))}
    </div>
  );
}
