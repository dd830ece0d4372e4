import type { CardWords } from '../words.types.ts'

export const card: CardWords = {
  description: (program) => `Carta fedeltà di ${program}`,
  member: 'Numero di membro',
  news: 'Novità',
  noNews: 'Ancora nessuna novità.',
}
