import { type TProperties, Type } from 'typebox';
import { Refusal } from '../core/kernel/refusal.ts';

/** The most lines of one request. */
export const MAX_LINES = 1000;

/** The lines of a request: a list of objects with these fields. */
export function linesOf<T extends TProperties>(fields: T, description: string) {
  return Type.Array(Type.Object(fields, { additionalProperties: false }), {
    minItems: 1,
    maxItems: MAX_LINES,
    mayBeEmpty: false,
    rule: `a list of 1 to ${MAX_LINES} lines`,
    description,
  });
}

/** Runs the checks of a line. @throws Refusal as the checks do, with the number of the line: "`lines[17].memo` must be …" */
export function checkLine<T>(index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Refusal ? refusalOfLine(index, error) : error;
  }
}

/** Converts the amount of a line, which may be in a currency. @throws Refusal with the number of the line in front */
export async function convertLine<T>(index: number, convert: () => Promise<T>): Promise<T> {
  try {
    return await convert();
  } catch (error) {
    throw error instanceof Refusal ? refusalOfLine(index, error) : error;
  }
}

/** Returns the error of a line, with its number in front. */
export function refusalOfLine(index: number, { type, message }: Refusal): Refusal {
  return new Refusal(type, message.startsWith('`') ? `\`lines[${index}].${message.slice(1)}` : `\`lines[${index}]\`: ${message}`);
}
