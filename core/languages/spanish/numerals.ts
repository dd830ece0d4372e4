import { createNumerals } from '../numerals.ts'

export const region = 'es-ES'

export const { format, choose } = createNumerals(region)
