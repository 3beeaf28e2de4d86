/** The mark of Satchel. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg class="logo" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path class="handle" d="M8.5 7.5V5.8A2.8 2.8 0 0 1 11.3 3h1.4a2.8 2.8 0 0 1 2.8 2.8v1.7" />
      <path class="body" d="M1.5 9.5A2.5 2.5 0 0 1 4 7h16a2.5 2.5 0 0 1 2.5 2.5V18a3.5 3.5 0 0 1-3.5 3.5H5A3.5 3.5 0 0 1 1.5 18z" />
      <path class="seam" d="M1.5 12.6c1.4 1.3 2.9 1.9 4.7 1.9h11.6c1.8 0 3.3-.6 4.7-1.9" />
      <path class="strap" d="M7.5 11.8v5M16.5 11.8v5" />
    </svg>
  );
}
