/** Returns the choices of a field: values with their texts. A value without a text is its own. */
export function optionsOf<Value extends string>(
  texts: Readonly<Record<string, string>>,
  values: readonly Value[] = Object.keys(texts) as Value[],
): { value: Value; label: string }[] {
  return values.map((value) => ({ value, label: texts[value] ?? value }));
}
