import type { CardWords } from '../words.types.ts'

export const card: CardWords = {
  description: (program) => `Tarjeta de fidelidad de ${program}`,
  member: 'Número de miembro',
  news: 'Novedades',
  noNews: 'Todavía no hay novedades.',
}
