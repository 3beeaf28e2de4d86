import type { ComponentChildren } from 'preact';

interface ListboxProps<T> {
  readonly id: string;
  readonly label: string;
  readonly options: readonly T[];
  readonly keyOf: (option: T) => string;
  /** The position of the selected option. */
  readonly active: number;
  readonly onChoose: (option: T) => void;
  readonly children: (option: T) => ComponentChildren;
}

/** The options of a combobox, whose field keeps the focus. */
export function Listbox<T>({ id, label, options, keyOf, active, onChoose, children }: ListboxProps<T>) {
  return (
    <div role="listbox" id={id} aria-label={label}>
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
        <div
          key={keyOf(option)}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onClick={() => onChoose(option)}
        >
          {children(option)}
        </div>
      ))}
    </div>
  );
}

/** Returns the id of an option, for `aria-activedescendant` of the field. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}
