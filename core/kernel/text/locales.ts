/**
 * Checks whether a text is a language tag in its canonical form, for a language that this system has names and formats
 * for: `fr` or `pt-BR`, neither `FR` nor `xx`. Source: BCP 47; ECMA-402, 6.2.
 */
export function isLocale(text: string): boolean {
  try {
    const [canonical] = Intl.getCanonicalLocales(text)
    return canonical === text && Intl.DateTimeFormat.supportedLocalesOf(text).length === 1
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
