/** A value that a client accepts, and its weight from 0 to 1. */
export interface AcceptPreference {
  name: string
  quality: number
}

/**
 * Parses a header such as Accept or Accept-Language into its values, in lower case and in their order. Parameters other
 * than `q` are ignored; an invalid `q` counts as 0. Source: RFC 9110, section 12.4.2.
 */
export const parsePreferences = (header: string): AcceptPreference[] =>
  header.toLowerCase().split(',').map(parsePreference)

function parsePreference(text: string): AcceptPreference {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  if (weight !== undefined && !/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)) return { name, quality: 0 }
  return { name, quality: weight === undefined ? 1 : Number(weight) }
}
