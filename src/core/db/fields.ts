/** The row of an object whose columns have the names of its fields ({@link asFields}). NULL stands for undefined. */
export type RowOf<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

type WithoutNulls<R> = { [K in keyof R]: null extends R[K] ? Exclude<R[K], null> | undefined : R[K] };

/** Returns the SELECT list that gives columns the names of fields: `wallet_id AS "walletId"`. */
export function asFields(columns: string): string {
  return columns.replace(/\w+_\w+/g, (column) => `${column} AS "${fieldName(column)}"`);
}

/** Returns the name of a column's field: `walletId` for `wallet_id`. */
export function fieldName(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a row with undefined in place of NULL. */
export function withoutNulls<R extends object>(row: R): WithoutNulls<R> {
  const fields = { ...row } as Record<string, unknown>;
  for (const name in fields) if (fields[name] === null) fields[name] = undefined;
  return fields as WithoutNulls<R>;
}
