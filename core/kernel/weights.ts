/** What a reader would take, and how much it likes it, 0 to 1. */
export interface Wish { name: string; quality: number }

/**
 * The wishes of a header like Accept or Accept-Language, in small letters, in their order. Parameters other than `q` are
 * passed over; what is no weight is no wish either. Source: RFC 9110, section 12.4.2
 */
export const wishesIn = (header: string): Wish[] => header.toLowerCase().split(',').map(wishOf)

function wishOf(text: string): Wish {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  if (weight !== undefined && !/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)) return { name, quality: 0 }
  return { name, quality: weight === undefined ? 1 : Number(weight) }
}
