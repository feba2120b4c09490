/**
 * A value of a platform without what a database refuses in a text: U+0000, and halves of characters (d19). Names of
 * members are kept, `__proto__`, too, as a member like any other.
 * @param value as JSON.parse makes them
 */
export function cleanText<Value>(value: Value): Value {
  return cleaned(value) as Value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleaned(name), cleaned(one)]));
}
