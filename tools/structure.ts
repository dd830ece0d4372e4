const texts = new WeakMap<object, string>()

/** Keeps the JSON text that the structured content of a result was read from, so that it need not be written anew. */
export function keepStructure(result: object, text: string): void {
  texts.set(result, text)
}

/** The structured content of a result as the API wrote it; null where it did not, or not so. */
export const structureText = (result: object): string | null => texts.get(result) ?? null
