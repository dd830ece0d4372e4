import { createNumerals } from '../numerals.ts'

export const region = 'it-IT'

export const { format, choose } = createNumerals(region)
