import { createNumerals } from '../numerals.ts'

export const region = 'de-DE'

export const { format, choose } = createNumerals(region)
