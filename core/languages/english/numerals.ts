import { createNumerals } from '../numerals.ts'

export const region = 'en-GB'

export const { format, choose } = createNumerals(region)
