/**
 * Parses a phone number into E.164 form. Loads the metadata of all countries at first use.
 * @param callingCode country calling code without its plus, for a number as people write it within that country; without
 * it, the number begins with a plus
 * @returns null if it is no possible number, or one of another country
 */
export async function parsePhoneNumber(text: string, callingCode?: string): Promise<string | null> {
  if (callingCode === undefined && !text.trim().startsWith('+')) return null
  const { parsePhoneNumberFromString } = await import('libphonenumber-js')
  const number = parsePhoneNumberFromString(text, {
    ...(callingCode !== undefined && { defaultCallingCode: callingCode }),
    extract: false,
  })
  if (!number?.isPossible()) return null
  return callingCode === undefined || number.countryCallingCode === callingCode ? number.number : null
}
