import type { CardWords } from '../words.types.ts'

export const card: CardWords = {
  description: (program) => `Carte de fidélité de ${program}`,
  member: 'Numéro de membre',
  news: 'Nouvelles',
  noNews: 'Rien de nouveau pour le moment.',
}
