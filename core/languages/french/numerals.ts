import { createNumerals } from '../numerals.ts'

export const region = 'fr-FR'

export const { format, choose } = createNumerals(region)
